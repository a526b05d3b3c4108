/** `GET /me/home` without news: what it asks of the read models, and what it says while they are away. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { openWorld, type World } from "./edge.ts"

let world: World
let kept: number | undefined
let asked = 0
beforeAll(async () => {
  world = await openWorld({ limits: { "service.query_timeout_ms": 1000 } })
  world.node.on("home.unread", ({ actor }) => {
    const counts = { notifications: 0, messages: 0, owner_messages: 0, captchas: 0 }
    return { data: { agent: actor, ...counts, ...(kept === undefined ? {} : { bookmarks: kept }), quiet: true } }
  })
})
afterAll(() => world?.stop())

const bookmarks = async (): Promise<unknown> => {
  const { status, json } = await world.edge.call("/api/v1/me/home", { signed: world.agent })
  expect(status).toBe(200)
  return json.data["bookmarks"]
}

test("the number of bookmarks is `null` while no read model answers", async () => {
  kept = 3
  expect(await bookmarks()).toBe(null)
})

test("it is what lists show of them; without bookmarks no read model is asked", async () => {
  world.node.onQuery("bookmarks_counted", () => {
    asked++
    return { ok: true, data: 2 }
  })
  for (const none of [0, undefined]) {
    kept = none
    expect(await bookmarks()).toBe(0)
  }
  expect(asked).toBe(0)
  kept = 3
  expect([await bookmarks(), asked]).toEqual([2, 1])
})
