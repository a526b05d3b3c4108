/** Data that need not be kept: what clients and operators see of it when its time is over (spec 4.4; contract 4, 12). */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { AgentEvent } from "../../actors/agent/state.ts"
import { LIMITS } from "../../schemas/limits.ts"
import type { Notification } from "../../schemas/notification/api.ts"
import { subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { scrape } from "../support/exposition.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { startReceiver } from "../support/receiver.ts"
import { logOf, testService, type TestService } from "../support/service.ts"

const DAY_MS = 86_400_000
/** Longer than anything of it is kept. */
const LONG_AGO_MS = 100 * DAY_MS
const NEWEST = LIMITS.notifications.kept_newest
const BEYOND = 25
const DELIVERY_KEPT_SECONDS = 3

let service: TestService
let edge = ""
let client: AgentClient
let agent: Registered

beforeAll(async () => {
  service = await testService({
    metrics: true,
    limits: {
      "service.prune_every_seconds": 1,
      "service.prune_rows_max": 7,
      "service.prune_pause_ms": 1,
      "webhook.kept_seconds": DELIVERY_KEPT_SECONDS,
      "webhook.log_seconds": 1
    }
  })
  edge = service.edges[0] ?? ""
  client = new AgentClient({ edge: () => edge })
  agent = await register(client, { edge })
})
afterAll(() => service?.stop())

/** As its node would have written it then. */
const happened = async (events: ReadonlyArray<AgentEvent>): Promise<void> => {
  const subject = subjects.event("agent", agent.id)
  const commit = { v: 1, id: `past-${events[0]?.type}`, op: "test", at: Date.now() - LONG_AGO_MS, events } as const
  await client.call("PATCH", "/api/v1/me", { body: { description: "Before." } })
  const appended = await service.view.log.append([
    { subject, expected: await service.view.log.lastSeq(subject), commit }
  ])
  expect(appended.ok).toBe(true)
  // Its node finds the log further on than it left it.
  expect(outcome(await client.call("PATCH", "/api/v1/me", { body: { description: "After." } }))).toBe("200")
}

const counted = async (table: "notifications" | "score_entries"): Promise<number> => {
  const { db } = service.view
  const { n } = await db
    .selectFrom(table)
    .where("agent", "=", agent.id)
    .select((select) => select.fn.countAll<string>().as("n"))
    .executeTakeFirstOrThrow()
  return Number(n)
}

const settled = (table: "notifications" | "score_entries", count: number): Promise<unknown> =>
  waitFor(async () => (await counted(table)) === count, { describe: `${count} rows of ${table}` })

const removedOf = async (table: string): Promise<number> => {
  const scraped = await Promise.all(service.system.actors.map(({ metrics }) => scrape(metrics)))
  return Math.max(...scraped.map((one) => one.value("hub_pruner_rows_total", { table })))
}

test("an agent's notifications of long ago go beyond its newest, and nothing else does", async () => {
  const before = await counted("notifications")
  await happened(
    Array.from({ length: NEWEST + BEYOND }, (_, index) => ({
      type: "agent.notified",
      v: 1,
      notification: 1_000_000 + index,
      about: "webhook.test",
      payload: { requested_at: "then" }
    }))
  )
  await settled("notifications", before + NEWEST)
  const list = async (query: string) => client.call("GET", `/api/v1/me/notifications?per_page=1&${query}`)
  expect((await list("")).json).toMatchObject({ meta: { total: before + NEWEST } })
  expect((await list(`page=${NEWEST}`)).json).toMatchObject({ data: [{ id: 1_000_000 + BEYOND }] })
  // A notification of today is there, whatever its number.
  expect(dataOf<ReadonlyArray<Notification>>(await list(`page=${before + NEWEST}`))).toHaveLength(1)
  expect(await removedOf("notifications")).toBe(BEYOND)
  await settledCounts(NEWEST)
})

/** What is told of unread notifications, wherever that is: on home, on the account, by the list itself. */
const unreadCounts = async (): Promise<ReadonlyArray<number>> => {
  const home = dataOf<{ unread_notifications: number }>(await client.call("GET", "/api/v1/me/home"))
  const me = dataOf<{ unread_notifications: number }>(await client.call("GET", "/api/v1/me"))
  const { meta } = (await client.call("GET", "/api/v1/me/notifications?unread=1&per_page=1")).json as {
    meta: { total: number }
  }
  return [home.unread_notifications, me.unread_notifications, meta.total]
}

const settledCounts = (least: number): Promise<unknown> =>
  waitFor(
    async () => {
      const counts = await unreadCounts()
      return (counts[0] ?? 0) >= least && new Set(counts).size === 1
    },
    { describe: "counts that agree" }
  )

test("where all that was unread has gone, home does not ask to list it", async () => {
  const other = new AgentClient({ edge: () => edge })
  const { id } = await register(other, { edge })
  const marked = await other.call("POST", "/api/v1/me/notifications/read", { body: {} })
  expect(outcome(marked)).toBe("200")
  const notified = (count: number, from: number): ReadonlyArray<AgentEvent> =>
    Array.from({ length: count }, (_, index) => ({
      type: "agent.notified",
      v: 1,
      notification: from + index,
      about: "webhook.test",
      payload: { requested_at: "then" }
    }))
  const later = notified(NEWEST, 3_000_000)
  const read = later.map((event) => (event.type === "agent.notified" ? event.notification : 0))
  const events: ReadonlyArray<AgentEvent> = [
    ...notified(BEYOND, 2_000_000),
    ...later,
    { type: "agent.notifications_read", v: 1, ids: read }
  ]
  const subject = subjects.event("agent", id)
  const commit = { v: 1, id: "past", op: "test", at: Date.now() - LONG_AGO_MS, events } as const
  const expected = await service.view.log.lastSeq(subject)
  expect((await service.view.log.append([{ subject, expected, commit }])).ok).toBe(true)
  expect(outcome(await other.call("PATCH", "/api/v1/me", { body: { description: "After." } }))).toBe("200")
  const home = async () =>
    dataOf<{ unread_notifications: number; next: ReadonlyArray<{ path: string }> }>(
      await other.call("GET", "/api/v1/me/home")
    )
  const list = async () =>
    dataOf<ReadonlyArray<Notification>>(await other.call("GET", "/api/v1/me/notifications?unread=1"))
  await waitFor(async () => (await list()).length === 0, { describe: "no unread row" })
  expect(await home()).toMatchObject({ unread_notifications: 0, next: [] })
})

test("scores stay as they are when the entries that made them go", async () => {
  const scores = async (): Promise<unknown> => {
    const found = dataOf<{ trust: number; reputation: number }>(await client.call("GET", "/api/v1/me/scores?limit=1"))
    return [found.trust, found.reputation]
  }
  const before = await counted("score_entries")
  await happened(
    Array.from({ length: NEWEST + BEYOND }, (_, index) => ({
      type: "agent.score_changed",
      v: 1,
      entry: before + index + 1,
      score: "reputation",
      delta: 2,
      value: 2 * (index + 1),
      reason: "drawn by lot",
      target_type: null,
      target_id: null
    }))
  )
  // The entry of the registration is the oldest, and of today.
  await settled("score_entries", before + NEWEST)
  expect(await scores()).toEqual([10, 2 * (NEWEST + BEYOND)])
  const shown = dataOf<{ scores: { reputation: number } }>(
    await send({ edge, method: "GET", path: `/api/v1/agents/${agent.handle}` })
  )
  expect(shown.scores.reputation).toBe(2 * (NEWEST + BEYOND))
  const { entries } = dataOf<{ entries: ReadonlyArray<{ id: number; value: number; delta: number }> }>(
    await client.call("GET", "/api/v1/me/scores?limit=200")
  )
  expect(entries[0]).toMatchObject({ id: before + NEWEST + BEYOND, value: 2 * (NEWEST + BEYOND) })
})

test("the log makes what is served, whenever it is asked and after a rebuild", async () => {
  const before = [await counted("notifications"), await counted("score_entries")]
  expect(await operate(service.system, ["verify", "--kind", "agent"])).toContain("\nverified in ")
  await operate(service.system, ["rebuild", "notification"])
  await operate(service.system, ["rebuild", "agent"])
  expect([await counted("notifications"), await counted("score_entries")]).toEqual(before)
  expect(await operate(service.system, ["verify", "--kind", "agent"])).toContain("\nverified in ")
})

test("a delivery that has ended is not there any more, and nothing begins it again", async () => {
  const receiver = await startReceiver()
  try {
    await client.call("PATCH", "/api/v1/me", { body: { webhook_url: receiver.url } })
    expect(outcome(await client.call("POST", "/api/v1/me/webhook/test"))).toBe("202")
    await waitFor(() => receiver.received.length > 0, { describe: "the delivery" })
    const id = receiver.received[0]?.id.replace("ntf_", "") ?? ""
    await waitFor(async () => (await logOf(service.view, "delivery", id)).length === 0, {
      describe: "its end in the log"
    })
    expect(outcome(await client.call("POST", `/api/v1/me/webhook/deliveries/${id}/redeliver`))).toBe("404 not_found")
    const ended = "there was none, or it has ended and is no longer kept"
    await expect(operate(service.system, ["replay", "delivery", id])).rejects.toThrow(ended)
    await expect(operate(service.system, ["explain", `delivery/${id}`])).rejects.toThrow(ended)
    // Its notification is no part of it. It has a number of its own, or one behind those of long ago, if the counter was
    // raised above them meanwhile.
    const page = async (number: number): Promise<ReadonlyArray<Notification>> =>
      dataOf(await client.call("GET", `/api/v1/me/notifications?per_page=100&page=${number}`))
    const isListed = async () => [...(await page(1)), ...(await page(11))].some((one) => String(one.id) === id)
    await waitFor(isListed, { describe: "its notification" })
    expect(await logOf(service.view, "delivery", id)).toEqual([])
    expect(await service.view.db.selectFrom("snapshots").where("kind", "=", "delivery").selectAll().execute()).toEqual(
      []
    )
  } finally {
    await receiver.stop()
  }
})
