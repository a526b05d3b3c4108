/** What operators see of a deployment that is not well (contract 7). */
import { jetstream } from "@nats-io/jetstream"
import { sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { unexplained, worstClock } from "../../schemas/meta/clock.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { dataOf } from "../support/outcome.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import { register } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"

const ROLES = ["actors,queries", "webhooks"]

interface Seen {
  readonly status: string
  readonly checks: Readonly<
    Record<string, { readonly status: string; readonly observed: number | null; readonly message: string | null }>
  >
}

let service: TestService
let receiver: Receiver
let operator: AgentClient

beforeAll(async () => {
  service = await testService({
    actors: ROLES.length,
    nodeEnv: (role, index) => (role === "actor" ? { HUB_ROLES: ROLES[index] } : {})
  })
  receiver = await startReceiver()
  const edge = service.edges[0] ?? ""
  operator = new AgentClient({ edge: () => edge })
  const agent = await register(operator, { edge, more: { webhook_url: `${receiver.url}/in` } })
  await operate(service.system, ["agent", "grant", agent.handle, "operator"])
})
afterAll(async () => {
  await receiver?.stop()
  await service?.stop()
})

const look = async (): Promise<Seen & { readonly code: number }> => {
  const answer = await operator.call("GET", `${API_PREFIX}/health`)
  return { ...dataOf<Seen>(answer), code: answer.status }
}

test("without a worker, what is to be delivered waits, and its age grows; with one again, nothing does", async () => {
  await waitFor(async () => (await look()).checks["webhook_queue"]?.observed === 0, { describe: "an empty queue" })
  const worker = service.system.actors[1]
  await worker?.kill()
  await operator.call("POST", `${API_PREFIX}/me/webhook/test`)
  const { checks } = await look()
  expect(checks["webhook_queue"]).toMatchObject({ status: "pass", observed: 1 })
  const age = checks["webhook_queue_age"]?.observed ?? -1
  expect(age).toBeGreaterThanOrEqual(0)
  await waitFor(async () => ((await look()).checks["webhook_queue_age"]?.observed ?? 0) > age, {
    describe: "an older queue"
  })
  await worker?.restart()
  await waitFor(async () => (await look()).checks["webhook_queue"]?.observed === 0, { describe: "an empty queue" })
  expect((await look()).checks["webhook_queue_age"]?.observed).toBe(0)
  expect(receiver.received).toHaveLength(1)
})

test("a Postgres that does not answer is told in time, and what else is well stays so", async () => {
  const { code, status, checks } = await service.view.db.transaction().execute(async (held) => {
    await sql`lock table projections in access exclusive mode`.execute(held)
    // It is answered while the table is held; on a slow machine others may be late as well, for a look.
    return waitFor(
      async () => {
        const seen = await look()
        return Object.entries(seen.checks).every(([name, check]) => name === "db" || check.status === "pass")
          ? seen
          : null
      },
      { describe: "an answer in which only Postgres fails" }
    )
  })
  expect([code, status]).toEqual([200, "degraded"])
  expect(checks).toMatchObject({
    db: { status: "fail", observed: null },
    jetstream: { status: "pass" },
    clock: { status: "pass" },
    disk: { status: "pass" },
    actors: { status: "pass" }
  })
  expect(checks).not.toHaveProperty("read_models")
  await waitFor(async () => (await look()).status === "ok", { describe: "a service that is well" })
})

test("reactions are told of, with what they had to pass over", async () => {
  await waitFor(async () => (await look()).checks["reactions"]?.observed === 0, { describe: "reactions that are done" })
  expect((await look()).checks["reaction_faults"]).toMatchObject({ status: "pass", observed: 0 })
  const { nats, manager } = service.view
  await jetstream(nats).publish(subjects.reactionFault("agent", "1"), JSON.stringify({ seq: 1 }))
  const { status, checks } = await look()
  expect([status, checks["reaction_faults"]]).toMatchObject(["degraded", { status: "warn", observed: 1 }])
  await manager.streams.purge(streams.reactions, { filter: subjects.reactionFaults("agent") })
  expect((await look()).checks["reaction_faults"]).toMatchObject({ status: "pass", observed: 0 })
})

test.each([
  [0, 0, 0],
  [40, 50, 0],
  [-40, 50, 0],
  [1040, 50, 990],
  [-1040, 50, -990]
])("a difference of %d ms that is known to %d is one of %d", (difference, give, left) => {
  expect(unexplained(difference, give)).toBe(left)
})

test("no other clock to look at is nothing to be sure of; a second apart is well, more is not", () => {
  const of = (ms: number) =>
    worstClock(
      [
        { name: "one", ms: 1 },
        { name: "other", ms }
      ],
      "now"
    ).status
  expect([worstClock([], "now").status, of(1000), of(-1000), of(1001), of(-1001)]).toEqual([
    "warn",
    "pass",
    "pass",
    "warn",
    "warn"
  ])
})
