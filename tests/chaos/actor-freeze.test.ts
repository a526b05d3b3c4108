/**
 * An actor process stands still under load, long enough for its work to move elsewhere, then goes on as if nothing had
 * been: it still believes in its shards, and has requests and appends of its own under way.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { send } from "../support/http.ts"
import { outcome } from "../support/outcome.ts"
import { ACTORS, openScene, type Scene, victimOf } from "./scene.ts"
import { expectAppliedOnce, expectNoFault, expectReplaysRefused, isSettled, sessionOf } from "./verdict.ts"

const QUERIES = 10
/** From the freeze to the answer of the agent that waited longest. Only what hangs takes so long. */
const ANSWERS_AGAIN_WITHIN_MS = 120_000

let scene: Scene

beforeAll(async () => {
  scene = await openScene("actor-freeze")
})
afterAll(() => scene?.stop())

test("a frozen actor process is replaced, and does no harm when it goes on", async () => {
  const { view, load, scheduling, edges } = scene
  const { victim, hit } = await victimOf(scene)
  const session = await sessionOf(view, victim.pid)

  const frozenAt = performance.now()
  victim.freeze()
  await waitFor(() => isSettled(view, ACTORS - 1) && load.answeredSince(frozenAt, 10), {
    describe: "answers while one is frozen"
  })
  // Queries go to any node, so every third begins at the frozen one, and is asked again of another.
  const queries = await Promise.all(
    edges.flatMap((edge) =>
      Array.from({ length: QUERIES }, () => send({ edge, method: "GET", path: "/api/v1/agents" }))
    )
  )
  expect(new Set(queries.map(outcome))).toEqual(new Set(["200"]))
  await waitFor(() => !view.view.isLive(session), { describe: "the end of the frozen session" })
  const thawedAt = performance.now()
  victim.thaw()
  await waitFor(() => isSettled(view, ACTORS) && load.answeredSince(thawedAt, 10), {
    describe: "three nodes with shards again"
  })
  const until = performance.now()
  await load.stop()

  const silence = load.longestSilence(frozenAt, thawedAt)
  const after = load.longestSilence(thawedAt, until)
  const late = scheduling.between(frozenAt, until)
  console.log(
    `longest silence after SIGSTOP: ${Math.round(silence.ms)} ms (agent ${silence.agent}), ` +
      `after SIGCONT: ${Math.round(after.ms)} ms; ` +
      `the test itself was late by ${Math.round(late)} ms; ` +
      `${hit.length} agents lost their home; ${load.retried} retries`
  )
  expectNoFault(load)
  await expectReplaysRefused(load, edges)
  await expectAppliedOnce(load, view)
  expect(silence.ms).toBeLessThan(ANSWERS_AGAIN_WITHIN_MS)
  expect(after.ms).toBeLessThan(ANSWERS_AGAIN_WITHIN_MS)
})
