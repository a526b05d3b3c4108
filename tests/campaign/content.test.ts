/**
 * What agents write to, on and under one another, while processes are killed: nothing is lost and nothing counts twice.
 * At rest every count and every score is what follows from the acknowledged writes, and so say the log and the tables.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { operate } from "../support/hub.ts"
import { seeded, type SeededRandom } from "../support/seed.ts"
import { type TestService, testService } from "../support/service.ts"
import { Community } from "../chaos/community.ts"
import { expectWritten } from "../chaos/community-verdict.ts"
import { isSettled } from "../chaos/verdict.ts"

const ACTORS = 2
const MEMBERS = 6
/** Writes of each agent between two faults. */
const BETWEEN = 4

let service: TestService
let random: SeededRandom
let community: Community

beforeAll(async () => {
  random = seeded("content")
  service = await testService({
    processes: true,
    edges: 2,
    actors: ACTORS,
    limits: { "rate_limits.vote.requests": 1_000_000, "rate_limits.message.requests": 1_000_000 }
  })
  await waitFor(() => isSettled(service.view, ACTORS), { describe: "actor nodes with shards" })
  community = await Community.of(MEMBERS, service.edges, random)
})
afterAll(() => service?.stop())

const writing = async (what: string): Promise<void> => {
  const moment = performance.now()
  await waitFor(() => community.wroteSince(moment, BETWEEN), { describe: `writes ${what}` })
}

test("every count and score is what was acknowledged, whatever dies", async () => {
  const { system, view } = service
  community.start()
  await writing("before anything dies")
  for (const round of [0, 1]) {
    const victim = random.pick(system.actors)
    await victim.kill()
    await writing("after an actor process was killed")
    await victim.restart()
    await waitFor(() => isSettled(view, ACTORS), { describe: "the actor process again" })
    const server = round === 0 ? system.nats : system.postgres
    await server.kill()
    await server.restart()
    await writing("after a server was killed")
  }
  await community.stop()
  expect(community.faults).toEqual([])

  await expectWritten(community, service, random)
  expect(await operate(system, ["verify"])).toMatch(/\nverified in/)
})
