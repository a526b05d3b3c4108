/**
 * Twenty compartments on each of many hosts over the real bus and actors: hosts die, come back, are given up, are drained.
 * No program ever runs twice, nothing gets more than its room, and whatever has a living host runs in the end. Four hundred
 * of them after `npm test`, a thousand on fifty hosts by `npm run campaign -- fleet`.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { FLEET_ID, type HostSeen } from "../../schemas/fleet/operations.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { rounds } from "../support/rounds.ts"
import { seeded } from "../support/seed.ts"
import { testService, type TestService } from "../support/service.ts"
import { Programs, SimulatedHost } from "../support/simulated-host.ts"

const HOSTS = rounds(20)
const ROOM = 25
const FIRST = HOSTS * 20
const MORE = HOSTS
const AGENTS = 10
const DYING = Math.ceil(HOSTS / 10)
const GIVEN_UP = Math.ceil(DYING / 2)
const AT_ONCE = 8
const SETTLED_MS = 300_000

let service: TestService
const programs = new Programs()
const hosts: Array<SimulatedHost> = []
const agents: Array<AgentClient> = []

beforeAll(async () => {
  service = await testService({
    processes: true,
    edges: 2,
    actors: 2,
    limits: { "runtime.per_owner": FIRST, "runtime.restart_seconds": 1, "rate_limits.message.requests": 1_000_000 }
  })
  for (let index = 0; index < HOSTS; index++) hosts.push(new SimulatedHost(service, programs, ROOM))
  for (const host of hosts) host.start()
  for (let index = 0; index < AGENTS; index++) {
    const client = new AgentClient({ edge: () => service.edges[index % service.edges.length] ?? "" })
    await register(client, { edge: service.edges[0] ?? "" })
    agents.push(client)
  }
})
afterAll(async () => {
  await Promise.all(hosts.map((host) => host.die()))
  await service?.stop()
})

const seen = (): Promise<ReadonlyArray<HostSeen>> => service.view.command("fleet.hosts", FLEET_ID, null)

let made = 0
const create = async (count: number): Promise<void> => {
  const until = made + count
  const next = async (): Promise<void> => {
    while (made < until) {
      const index = made++
      const body = { name: `one-${index}`, command: "sleep infinity", accept_terms: true }
      const answer = await agents[index % AGENTS]?.retrying("POST", "/api/v1/compartments", { body })
      expect(answer === undefined ? "no agent" : outcome(answer)).toBe("201")
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
}

const running = (count: number): Promise<unknown> =>
  waitFor(() => Promise.resolve(programs.count === count ? true : null), {
    describe: `${count} programs that run`,
    deadlineMs: SETTLED_MS
  })

/** As their agents see them. */
const toldRunning = (count: number): Promise<unknown> =>
  waitFor(
    async () => {
      const pages = await Promise.all(
        agents.flatMap((agent) =>
          [1, 2].map(async (page) =>
            dataOf<ReadonlyArray<{ readonly status: string }>>(
              await agent.call("GET", `/api/v1/compartments?per_page=100&page=${page}`)
            )
          )
        )
      )
      return pages.flat().filter(({ status }) => status === "running").length === count ? true : null
    },
    { describe: `${count} records that say so`, deadlineMs: SETTLED_MS }
  )

const takenBy = async (): Promise<ReadonlyMap<string, HostSeen>> =>
  new Map((await seen()).map((host) => [host.host, host]))

test("all start, spread evenly", async () => {
  await waitFor(async () => (await seen()).length === HOSTS, { describe: "all hosts" })
  const begun = performance.now()
  await create(FIRST)
  await running(FIRST)
  console.log(`${FIRST} compartments made and running on ${HOSTS} hosts: ${Math.round(performance.now() - begun)} ms`)
  expect([...(await takenBy()).values()].map(({ taken }) => taken)).toEqual(Array(HOSTS).fill(FIRST / HOSTS))
  await toldRunning(FIRST)
  expect(programs.twice).toEqual([])
})

test("hosts that die lose nothing to others; back, they run theirs again; given up, theirs run elsewhere", async () => {
  const random = seeded("fleet")
  const chosen = new Set<SimulatedHost>()
  while (chosen.size < DYING) chosen.add(random.pick(hosts))
  const dying = [...chosen]
  const dead = new Set(dying.map(({ id }) => id))
  await Promise.all(dying.map((host) => host.die()))
  const rest = FIRST - (DYING * FIRST) / HOSTS
  expect(programs.count).toBe(rest)
  await waitFor(
    async () => {
      const away = (await seen()).filter((host) => host.away)
      return away.length === DYING && away.every(({ host }) => dead.has(host))
    },
    { describe: "hosts that are away", deadlineMs: SETTLED_MS }
  )
  await create(MORE)
  await running(rest + MORE)
  for (const [id, { taken }] of await takenBy()) if (dead.has(id)) expect(taken).toBe(FIRST / HOSTS)

  for (const host of dying.slice(GIVEN_UP)) host.start()
  await running(rest + MORE + ((DYING - GIVEN_UP) * FIRST) / HOSTS)
  for (const { id } of dying.slice(0, GIVEN_UP)) await service.view.command("fleet.forget", FLEET_ID, { host: id })
  await running(FIRST + MORE)
  await toldRunning(FIRST + MORE)
  const after = await takenBy()
  expect(after.size).toBe(HOSTS - GIVEN_UP)
  for (const { taken } of after.values()) expect(taken).toBeLessThanOrEqual(ROOM)
  expect(programs.twice).toEqual([])
})

test("one that is drained keeps its own and gets no more", async () => {
  const [drained] = await seen()
  const host = drained?.host ?? ""
  await service.view.command("fleet.drain", FLEET_ID, { host, drained: true })
  const before = (await takenBy()).get(host)?.taken
  await create(MORE)
  await running(FIRST + MORE + MORE)
  expect((await takenBy()).get(host)?.taken).toBe(before)
  expect(programs.twice).toEqual([])
})
