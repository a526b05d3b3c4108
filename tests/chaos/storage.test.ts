/**
 * The disk of the log fills up, for real: writes are refused before it is full, reads go on, and writes come back with
 * the room.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { scrape } from "../support/exposition.ts"
import { operate } from "../support/hub.ts"
import { register } from "../support/register.ts"
import type { TestService } from "../support/service.ts"
import { FLOOR_BYTES, giveRoom, smallDisk, STORE_BYTES, takeRoom } from "./small-disk.ts"

let service: TestService
let client: AgentClient

beforeAll(async () => {
  service = await smallDisk()
  client = new AgentClient({ edge: () => service.system.url })
  const { handle } = await register(client, { edge: service.system.url })
  await operate(service.system, ["agent", "grant", handle, "operator"])
})
afterAll(() => service?.stop())

const describeMe = (description: string) => client.call("PATCH", "/api/v1/me", { body: { description } })
const metric = async (name: string): Promise<number | undefined> =>
  (await scrape(service.system.actors[0]?.metrics ?? "")).value(name)
const diskCheck = async (): Promise<unknown> =>
  ((await client.call("GET", "/api/v1/health")).json.data as { readonly checks: Readonly<Record<string, unknown>> })
    .checks["disk"]

describe("a disk that fills", () => {
  test("with room enough takes writes", async () => {
    expect((await describeMe("there is room")).status).toBe(200)
    expect(await metric("hub_storage_low")).toBe(0)
  })

  test("below the floor refuses them with their reason, and goes on with reads", async () => {
    await takeRoom(service, (stored) => stored > STORE_BYTES - FLOOR_BYTES)
    const refused = await waitFor(
      async () => {
        const answer = await describeMe(`too much ${Math.random()}`)
        return answer.status === 503 ? answer : undefined
      },
      { describe: "a write to be refused" }
    )
    expect(refused.json.error).toMatchObject({ code: "overloaded", details: { reason: "storage_low" } })
    expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(30)
    for (let read = 0; read < 20; read++) expect((await client.call("GET", "/api/v1/me")).status).toBe(200)
    expect(await metric("hub_storage_low")).toBe(1)
    expect(await metric("hub_storage_free_bytes")).toBeLessThan(FLOOR_BYTES)
    expect(await diskCheck()).toMatchObject({
      status: "fail",
      message: expect.stringContaining("writes are refused, reads go on")
    })
  })

  test("full to the last byte is known to be full, and nothing is known to be unknown", async () => {
    await takeRoom(service, () => false)
    const log = new JetStreamLog(machineClock, service.view.nats, { batchMax: 10, queueMax: 10 })
    const events = [{ type: "sum.added", v: 1 }]
    const commit = { v: 1, id: "c", op: "o", at: 1, events, reply: "x".repeat(700_000) } as const
    expect(await log.append([{ subject: subjects.event("sum", "a"), expected: 0, commit }])).toEqual({
      ok: false,
      reason: "full"
    })
    expect(await log.lastSeq(subjects.event("sum", "a"))).toBe(0)
  })

  test("takes writes again once there is room", async () => {
    await giveRoom(service)
    await waitFor(async () => (await describeMe("again")).status === 200, { describe: "a write" })
    expect(await metric("hub_storage_low")).toBe(0)
    expect((await client.call("GET", "/api/v1/me")).json.data).toMatchObject({ description: "again" })
  })
})
