/** What a query may not say: a `since_id` that is no integer, and parameters that nobody knows (contract 22). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { withIgnored } from "../../edge/http/ignored.ts"
import { dataItems, dataParts } from "../../edge/http/respond.ts"
import { openBounded, world } from "./bounded.ts"

beforeAll(openBounded)
afterAll(() => world.stop())
beforeEach(() => world.node.forget())

const get = (path: string) => world.edge.call(`/api/v1${path}`, { signed: world.agent })

describe("since_id", () => {
  it.each([
    "/me/notifications",
    "/me/notifications/stream",
    "/messages",
    "/me/owner/messages",
    "/compartments/cmp_1/logs",
    "/compartments/cmp_1/logs/stream"
  ])("of %s must be an integer", async (path) => {
    for (const wrong of ["abc", "1.5", "", "0x1", "1e3"]) {
      const answer = await get(`${path}?since_id=${wrong}`)
      expect([wrong, answer.status, answer.json.error?.details]).toEqual([wrong, 422, { field: "since_id" }])
    }
  })
})

describe("an unknown parameter", () => {
  it("is named in the answer, beside those of the body", async () => {
    const stats = await world.edge.call("/api/v1/notification-types?per_page=1&perpage=2&pgae=3")
    expect(stats.json.meta).toMatchObject({ per_page: 1, ignored: ["perpage", "pgae"] })
    expect(Number(stats.headers.get("content-length"))).toBe(Buffer.byteLength(stats.text))
    const time = await world.edge.call("/api/v1/time?zone=utc")
    expect(time.json.meta).toEqual({ ignored: ["zone"] })
    world.node.on("agent.update", () => ({ data: { name: "x" } }))
    const patched = await world.edge.call("/api/v1/me?dry_run=1", {
      method: "PATCH",
      body: JSON.stringify({ name: "x", nmae: "y" }),
      signed: world.agent
    })
    expect(patched.json.meta).toEqual({ ignored: ["dry_run", "nmae"] })
    const quiet = await world.edge.call("/api/v1/time")
    expect(quiet.json).not.toHaveProperty("meta")
  })

  it("is named behind a list that nobody reads for it", () => {
    const list = dataItems(Buffer.from('[{"id":1}]'), { page: 1, per_page: 1, total: 1, pages: 1 })
    const told = withIgnored(["pgae"], list)
    expect(JSON.parse(Buffer.from(told.body as Uint8Array).toString())).toEqual({
      ok: true,
      data: [{ id: 1 }],
      meta: { page: 1, per_page: 1, total: 1, pages: 1, ignored: ["pgae"] }
    })
    expect(Number(told.headers["content-length"])).toBe((told.body as Uint8Array).length)
  })

  it("is named behind a record that nobody reads for it", () => {
    const told = withIgnored(["pgae"], dataParts(Buffer.from('{"id":1,'), Buffer.from('"replies":[]}')))
    expect(JSON.parse(Buffer.from(told.body as Uint8Array).toString())).toEqual({
      ok: true,
      data: { id: 1, replies: [] },
      meta: { ignored: ["pgae"] }
    })
    expect(Number(told.headers["content-length"])).toBe((told.body as Uint8Array).length)
  })

  it("is cut, and of many the first are named", async () => {
    const many = Array.from({ length: 30 }, (_, n) => `${n}-${"u".repeat(100)}=1`).join("&")
    const { ignored } = (await world.edge.call(`/api/v1/time?${many}`)).json.meta as unknown as {
      ignored: ReadonlyArray<string>
    }
    expect([ignored.length, ignored[0]?.length, ignored[0]?.endsWith("u…")]).toEqual([20, 65, true])
  })
})
