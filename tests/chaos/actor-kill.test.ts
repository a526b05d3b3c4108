/** An actor process dies under load, and comes back. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { ACTORS, openScene, type Scene, victimOf } from "./scene.ts"
import { expectAppliedOnce, expectNoFault, expectReplaysRefused, isSettled, ownersOf, sessionOf } from "./verdict.ts"

/**
 * From the kill to the answer of the agent that waited longest. Only what hangs takes so long: `npm run bench -- --only
 * takeover` measures it.
 */
const ANSWERS_AGAIN_WITHIN_MS = 120_000

let scene: Scene

beforeAll(async () => {
  scene = await openScene("actor-kill")
})
afterAll(() => scene?.stop())

test("a killed actor process costs time, no write and no nonce", async () => {
  const { view, load, scheduling, edges } = scene
  const { victim, hit } = await victimOf(scene)

  const killedAt = performance.now()
  await victim.kill()
  await waitFor(() => load.answeredSince(killedAt, 10) && isSettled(view, ACTORS - 1), {
    describe: "answers after the kill"
  })
  const silence = load.longestSilence(killedAt, performance.now())
  console.log(
    `longest silence after SIGKILL: ${Math.round(silence.ms)} ms (agent ${silence.agent}); ` +
      `${hit.length} agents lost their home; ${load.retried} retries`
  )
  expectNoFault(load)
  await expectReplaysRefused(load, edges)

  const restartedAt = performance.now()
  await victim.restart()
  const back = await sessionOf(view, victim.pid)
  await waitFor(() => ownersOf(view).includes(back) && isSettled(view, ACTORS) && load.answeredSince(restartedAt, 10), {
    describe: "shards of the restarted process"
  })
  await load.stop()
  const again = load.longestSilence(restartedAt, performance.now())
  const late = scheduling.between(killedAt, performance.now())
  console.log(
    `longest silence after the restart: ${Math.round(again.ms)} ms; the test itself was late by ${Math.round(late)} ms`
  )

  expectNoFault(load)
  await expectReplaysRefused(load, edges)
  await expectAppliedOnce(load, view)
  expect(silence.ms).toBeLessThan(ANSWERS_AGAIN_WITHIN_MS)
  expect(again.ms).toBeLessThan(ANSWERS_AGAIN_WITHIN_MS)
})
