/** `GET /me/notifications` and marking them as read (spec 2.8, 4.4). */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Notification } from "../../schemas/notification/api.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { newIdentity } from "../support/identity.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { rotate } from "../support/rotation.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { setRecovery } from "../support/rotation.ts"

let service: TestService
let edge = ""
let client: AgentClient
let agent: Registered

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
})
afterAll(() => service?.stop())

const list = async (query = ""): Promise<ReadonlyArray<Notification>> =>
  dataOf<ReadonlyArray<Notification>>(await client.call("GET", `/api/v1/me/notifications${query}`))
const read = async (body: unknown): Promise<unknown> =>
  dataOf(await client.call("POST", "/api/v1/me/notifications/read", { body }))
const unread = async (): Promise<number> =>
  dataOf<{ unread_notifications: number }>(await client.call("GET", "/api/v1/me")).unread_notifications

/** Four notifications: each a change of the recovery key. */
const subject = async (): Promise<void> => {
  client = new AgentClient({ edge: () => service.edges[Math.random() < 0.5 ? 0 : 1] ?? "" })
  agent = await register(client, { edge })
  for (let index = 0; index < 4; index++) {
    expect(outcome(await setRecovery(client))).toBe("200")
  }
}

describe("a list of notifications", () => {
  beforeAll(subject)

  test("is newest first, in pages, and after an id", async () => {
    const all = await list()
    expect(all).toHaveLength(4)
    expect(all.map((one) => one.id)).toEqual(all.map((one) => one.id).toSorted((a, b) => b - a))
    for (const one of all)
      expect(one).toMatchObject({
        type: "agent.recovery_changed",
        payload: { recovery_public_key: expect.any(String), changed_at: one.created_at },
        read: false,
        read_at: null
      })
    const page = await client.call("GET", "/api/v1/me/notifications?per_page=3&page=2")
    expect(page.json).toMatchObject({ meta: { page: 2, per_page: 3, total: 4, pages: 2 }, data: [all[3]] })
    expect(await list(`?since_id=${all[2]?.id}`)).toEqual(all.slice(0, 2))
    expect(await list("?since_id=-5&per_page=2")).toEqual(all.slice(0, 2))
    expect(await list(`?since_id=${all[0]?.id}`)).toEqual([])
  })

  test("is one's own alone", async () => {
    const mine = await list()
    const others = client
    await subject()
    expect((await list()).some((one) => mine.some((other) => other.id === one.id))).toBe(false)
    expect(await read({ ids: mine.map((one) => one.id) })).toEqual({ marked_read: 0 })
    client = others
    expect(await unread()).toBe(4)
  })
})

describe("marking as read", () => {
  test("some, the same again, then all", async () => {
    await subject()
    const all = await list()
    expect(await unread()).toBe(4)
    expect(await read({ ids: [all[0]?.id, all[2]?.id, 1_000_000_000] })).toEqual({ marked_read: 2 })
    expect(await read({ ids: [all[0]?.id] })).toEqual({ marked_read: 0 })
    expect((await list("?unread=1")).map((one) => one.id)).toEqual([all[1]?.id, all[3]?.id])
    expect((await list()).map((one) => one.read)).toEqual([true, false, true, false])
    expect(await read({})).toEqual({ marked_read: 2 })
    expect([await unread(), (await list("?unread=1")).length]).toEqual([0, 0])
    for (const one of await list()) expect(one).toMatchObject({ read: true, read_at: expect.any(String) })
  })

  test("refuses what are no ids", async () => {
    for (const [body, field] of [
      [{ ids: "all" }, "ids"],
      // A misspelled name must not mark all of them.
      [{ id: [1] }, "ids"],
      [{ ids: ["1"] }, "ids.0"],
      [{ ids: Array.from({ length: 1001 }, (_, index) => index) }, "ids"]
    ] as const) {
      const answer = await client.call("POST", "/api/v1/me/notifications/read", { body })
      expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
    }
  })
})

test("rotation is announced, survives the new key and a rebuild of the read models", async () => {
  await subject()
  const next = newIdentity()
  await rotate(client, agent.id, next)
  const old = client.identity.publicKey
  client = new AgentClient({ edge: () => edge, identity: next })
  const before = await list()
  expect(before[0]).toMatchObject({
    type: "agent.key_rotated",
    payload: { old_public_key: old, new_public_key: next.publicKey, rotated_at: expect.any(String) }
  })
  await read({ ids: [before[0]?.id] })
  const kept = await list()
  await operate(service.system, ["rebuild"])
  expect(await list()).toEqual(kept)
})

test("a deleted account's notifications are dropped", async () => {
  await subject()
  await client.call("DELETE", "/api/v1/me", { body: { confirm: agent.handle } })
  const left = await service.view.db.selectFrom("notifications").selectAll().where("agent", "=", agent.id).execute()
  expect(left).toEqual([])
})
