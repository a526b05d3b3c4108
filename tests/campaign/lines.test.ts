/** The line between one actor process and the bus breaks: at once, as when a cable is pulled, and silently. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { type CutProxy, waitFor } from "../harness/index.ts"
import { ACTORS, openScene, type Scene } from "../chaos/scene.ts"
import { expectAppliedOnce, expectNoFault, expectReplaysRefused, isSettled, sessionOf } from "../chaos/verdict.ts"

/** From the break to the answer of the agent that waited longest. */
const ANSWERS_AGAIN_WITHIN_MS = 1500

let scene: Scene

beforeAll(async () => {
  scene = await openScene("lines", { proxies: true })
})
afterAll(() => scene?.stop())

async function expectTakenOver(breakLine: (line: CutProxy) => void): Promise<void> {
  const { view, system, load, scheduling, random } = scene
  await waitFor(() => isSettled(view, ACTORS), { describe: "three actor nodes with shards" })
  const victim = random.pick(system.actors)
  const session = await sessionOf(view, victim.pid)
  const brokenAt = performance.now()
  breakLine(victim.line)
  await waitFor(() => !view.view.isLive(session) && isSettled(view, ACTORS - 1) && load.answeredSince(brokenAt, 10), {
    describe: "others to take over"
  })
  const healedAt = performance.now()
  victim.line.heal()
  await waitFor(() => isSettled(view, ACTORS) && load.answeredSince(healedAt, 10), {
    describe: "the healed node to have shards again"
  })
  const until = performance.now()

  const silence = load.longestSilence(brokenAt, healedAt)
  const after = load.longestSilence(healedAt, until)
  const late = scheduling.between(brokenAt, until)
  console.log(
    `taken over within ${Math.round(healedAt - brokenAt)} ms, healed within ${Math.round(until - healedAt)} ms; ` +
      `longest silence after the break: ${Math.round(silence.ms)} ms (agent ${silence.agent}), ` +
      `after the healing: ${Math.round(after.ms)} ms; ` +
      `the test itself was late by ${Math.round(late)} ms; ${load.retried} retries`
  )
  expectNoFault(load)
  expect(silence.ms).toBeLessThan(ANSWERS_AGAIN_WITHIN_MS + late)
  expect(after.ms).toBeLessThan(ANSWERS_AGAIN_WITHIN_MS + late)
}

test("a line that is cut", () => expectTakenOver((line) => line.cut()))

test("a line that swallows what it is given", () => expectTakenOver((line) => line.stall()))

test("afterwards no nonce is free again and the log has every write once", async () => {
  const { view, load, edges } = scene
  await load.stop()
  expectNoFault(load)
  await expectReplaysRefused(load, edges)
  await expectAppliedOnce(load, view)
})
