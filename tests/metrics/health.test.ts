/** What operators see of a deployment that is not well (contract 7). */
import { sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Aside, putAside, takeBack } from "../../actors/reactions/aside.ts"
import { unexplained, worstClock } from "../../schemas/meta/clock.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { held } from "../support/held.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { hubEnded, operate } from "../support/hub.ts"
import { dataOf } from "../support/outcome.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import { register } from "../support/register.ts"
import { logOf, type TestService, testService } from "../support/service.ts"

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
  await worker?.stop()
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
  const { code, status, checks } = await held(service.view.db, async (trx) => {
    await sql`lock table projections in access exclusive mode`.execute(trx)
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

test("what reactions could not do is told of, done again by an operator, or let go", async () => {
  await waitFor(async () => (await look()).checks["reactions"]?.observed === 0, { describe: "reactions that are done" })
  const well = { status: "pass", observed: 0 }
  const told = async () => {
    const { status, checks } = await look()
    return [status, checks["reaction_faults"], checks["reactions_parked"]]
  }
  expect(await told()).toMatchObject(["ok", well, well])
  const edge = service.edges[0] ?? ""
  const leaving = new AgentClient({ edge: () => edge })
  const { id, handle } = await register(leaving, { edge })
  await leaving.call("DELETE", `${API_PREFIX}/me`, { body: { confirm: handle } })
  const { view, system } = service
  const [first, ...others] = await logOf(view, "agent", id)
  const [begun, left] = [first?.seq ?? 0, others.at(-1)?.seq ?? 0]
  const command = { op: "identity.forget_hosts", kind: "agent", actor: id, which: "identity.forget_hosts-0" }
  const fault: Aside = { seq: left, kind: "agent", id, error: "internal_error", command }
  await putAside(view.nats, "agent", "fault", fault)
  await putAside(view.nats, "agent", "fault", { seq: begun, kind: "agent", id, error: "SyntaxError" })
  await putAside(view.nats, "agent", "parked", { ...fault, error: "unavailable" })
  expect(await told()).toMatchObject(["degraded", { status: "warn", observed: 2 }, { status: "warn", observed: 1 }])
  const reactions = (...args: ReadonlyArray<string>) => operate(system, ["reactions", ...args])
  expect(JSON.parse(await reactions("list", "agent"))).toMatchObject([
    { name: "agent", parked: [{ seq: left }], faults: [{ seq: begun }, fault] }
  ])
  expect((await hubEnded(system, ["status", "--all"])).stdout).toMatch(
    /agent {2}watermark \d+ {2}0 behind {2}1 parked {2}2 passed over/
  )
  expect(await reactions("redo", "agent")).toBe(
    `${begun} agent ${id}: nothing follows from it\n${left} agent ${id}: identity.forget_hosts ${id}: done`
  )
  await putAside(view.nats, "agent", "fault", fault)
  expect(await reactions("clear", "agent", `${left}`)).toBe(`${left} agent ${id}: cleared`)
  await takeBack(view.nats, "agent", "parked", fault)
  expect(await told()).toMatchObject(["ok", well, well])
  await expect(reactions("redo", "agent", "1")).rejects.toThrow("agent has no fault at 1")
  await expect(reactions("redo", "votes")).rejects.toThrow("there is no set of reactions votes: agent")
  await expect(reactions("clear", "agent", "last")).rejects.toThrow("a place in the log is a whole number")
})

test("a command that was carried out although a fault was recorded is not done again", async () => {
  const { view, system } = service
  const post = async <Data>(path: string, body: object) =>
    dataOf<Data>(await operator.call("POST", `${API_PREFIX}${path}`, { body }))
  const thread = await post<{ id: number }>("/threads", { category: "general", title: "Done once", body: "A thread." })
  const reply = await post<{ id: number }>(`/threads/${thread.id}/replies`, { body: "A reply." })
  const ofThread = async () => (await logOf(view, "thread", `${thread.id}`)).map(({ commit }) => commit.id)
  await waitFor(async () => (await ofThread()).some((id) => id.startsWith("react.thread_replied.")), {
    describe: "the reaction"
  })
  const before = await ofThread()
  const [written] = await logOf(view, "reply", `${reply.id}`)
  const command = { op: "thread.replied", kind: "thread", actor: `${thread.id}`, which: "thread.replied-0" }
  const seq = written?.seq ?? 0
  await putAside(view.nats, "thread_replied", "fault", {
    seq,
    kind: "reply",
    id: `${reply.id}`,
    error: "late",
    command
  })
  expect(await operate(system, ["reactions", "redo", "thread_replied"])).toBe(
    `${seq} reply ${reply.id}: thread.replied ${thread.id}: done before`
  )
  expect(await ofThread()).toEqual(before)
  expect(JSON.parse(await operate(system, ["reactions", "list", "thread_replied"]))).toMatchObject([{ faults: [] }])
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
