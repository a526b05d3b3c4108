/**
 * The bus itself dies under load and comes back on the same data: at once, so that every lease still stands, and after
 * longer than any lease lasts. Nothing that was acknowledged is gone, and what a node follows it follows again: when an
 * actor process dies next, others take over.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { SESSION_TTL_SECONDS } from "../../actors/log/streams.ts"
import { ACTORS, openScene, type Scene } from "../chaos/scene.ts"
import { expectAppliedOnce, expectNoFault, expectReplaysRefused, isSettled } from "../chaos/verdict.ts"

/** From the moment at which the bus takes connections again to the answer of the agent that waited longest. */
const ANSWERS_AGAIN_WITHIN_MS = 3000
const LEASES_ARE_OVER_MS = SESSION_TTL_SECONDS * 1000 + 500

let scene: Scene

beforeAll(async () => {
  scene = await openScene("bus")
})
afterAll(() => scene?.stop())

async function expectAnswersAfterOutage(outageMs: number): Promise<void> {
  const { system, load, scheduling } = scene
  const killedAt = performance.now()
  await system.nats.kill()
  await waitFor(() => performance.now() - killedAt >= outageMs, { describe: "the end of the outage" })
  await system.nats.restart()
  const backAt = performance.now()
  await waitFor(() => load.answeredSince(backAt, 10), { describe: "answers after the bus came back" })
  const until = performance.now()

  const silence = load.longestSilence(backAt, until)
  const late = scheduling.between(backAt, until)
  console.log(
    `the bus was away for ${Math.round(backAt - killedAt)} ms; ` +
      `longest silence from then on: ${Math.round(silence.ms)} ms (agent ${silence.agent}); ` +
      `the test itself was late by ${Math.round(late)} ms; ${load.retried} retries`
  )
  expectNoFault(load)
  await expectReplaysRefused(load, scene.edges)
  expect(silence.ms).toBeLessThan(ANSWERS_AGAIN_WITHIN_MS + late)
}

test("a nats-server that is killed and starts again costs time, no write and no nonce", () =>
  expectAnswersAfterOutage(0))

test("so does one that is away for longer than leases last", () => expectAnswersAfterOutage(LEASES_ARE_OVER_MS))

test("after it, actors still take over from a killed one; the log has every write once", async () => {
  const { view, system, load, random, edges } = scene
  await waitFor(() => isSettled(view, ACTORS), { describe: "three actor nodes with shards" })
  const killedAt = performance.now()
  await random.pick(system.actors).kill()
  await waitFor(() => load.answeredSince(killedAt, 10) && isSettled(view, ACTORS - 1), {
    describe: "answers after the kill"
  })
  await load.stop()
  expectNoFault(load)
  await expectReplaysRefused(load, edges)
  await expectAppliedOnce(load, view)
})
