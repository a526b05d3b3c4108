/** An actor process dies under load, and comes back. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { SchedulingDelay } from "../support/scheduling.ts"
import { seeded } from "../support/seed.ts"
import { type TestService, testService } from "../support/service.ts"
import { type Load, loadOf } from "./load.ts"
import { expectAppliedOnce, expectNoFault, expectReplaysRefused, homeOf, isSettled, ownersOf, sessionOf } from "./verdict.ts"

const AGENTS = 20
const ACTORS = 3
/** From the kill to the answer of the agent that waited longest. */
const ANSWERS_AGAIN_WITHIN_MS = 1500

const random = seeded("actor-kill")
let service: TestService
let load: Load
let scheduling: SchedulingDelay

beforeAll(async () => {
  service = await testService({ edges: 2, actors: ACTORS })
  scheduling = new SchedulingDelay()
  await waitFor(() => isSettled(service.view, ACTORS), { describe: "three actor nodes with shards" })
  load = await loadOf(AGENTS, service.edges, random)
  load.start()
  await waitFor(() => load.answeredSince(0, 10), { describe: "answers before the kill" })
})
afterAll(async () => {
  await load.stop()
  scheduling.stop()
  await service.stop()
})

test("a killed actor process costs time, no write and no nonce", async () => {
  const { view, system } = service
  const victim = random.pick(system.actors)
  const session = await sessionOf(view, victim.pid)
  const hit = load.agents.filter((agent) => homeOf(view, agent.hubId) === session)
  expect(hit.length, "agents whose home dies").toBeGreaterThan(0)

  const killedAt = performance.now()
  await victim.kill()
  await waitFor(() => load.answeredSince(killedAt, 20) && isSettled(view, ACTORS - 1), { describe: "answers after the kill" })
  const until = performance.now()
  const silence = load.longestSilence(killedAt, until)
  const late = scheduling.between(killedAt, until)
  console.log(`longest silence after SIGKILL: ${Math.round(silence.ms)} ms (agent ${silence.agent}); the test itself was late by ${Math.round(late)} ms; ${hit.length} agents lost their home; ${load.retried} retries`)
  expectNoFault(load)
  await expectReplaysRefused(load, service.edges)

  await victim.restart()
  const restartedAt = performance.now()
  const back = await waitFor(() => sessionOf(view, victim.pid), { describe: "the restarted process's session" })
  await waitFor(() => isSettled(view, ACTORS) && load.answeredSince(restartedAt, 20), { describe: "shards of the restarted process" })
  expect(ownersOf(view), "owners of shards").toContain(back)
  await load.stop()
  const again = load.longestSilence(restartedAt, performance.now())
  console.log(`longest silence after the restart: ${Math.round(again.ms)} ms`)

  expectNoFault(load)
  await expectReplaysRefused(load, service.edges)
  await expectAppliedOnce(load, view)
  expect(silence.ms).toBeLessThan(ANSWERS_AGAIN_WITHIN_MS + late)
  expect(again.ms).toBeLessThan(ANSWERS_AGAIN_WITHIN_MS + scheduling.between(restartedAt, performance.now()))
}, 40_000)
