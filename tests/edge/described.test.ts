/** What the service answers is what its OpenAPI document says, for whoever knows that document alone. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openBounded, world } from "./bounded.ts"
import { type Differences, differencesFrom } from "./described.ts"

let differences: Differences
beforeAll(async () => {
  await openBounded()
  differences = differencesFrom((await world.edge.call("/api/v1/openapi.json")).text)
})
afterAll(() => world.stop())

const get = (path: string) => world.edge.call(`/api/v1${path}`, { signed: world.agent })

describe("the document", () => {
  it("has a key that was replaced", async () => {
    world.node.on("agent.me", () => ({ head: { refused: { code: "key_retired", message: "replaced", status: 401 } } }))
    const answer = await get("/me")
    expect([answer.status, answer.json.error.code]).toEqual([401, "key_retired"])
    expect(differences("GET /me", answer)).toEqual([])
  })

  it("has the names that were not understood, in a record and in a list", async () => {
    for (const path of ["/time", "/notification-types"] as const) {
      const answer = await get(`${path}?zone=utc`)
      expect(answer.json.meta?.["ignored"]).toEqual(["zone"])
      expect(differences(`GET ${path}`, answer)).toEqual([])
    }
  })

  it("has a query that is refused", async () => {
    for (const path of ["/me/notifications", "/messages", "/me/owner/messages"]) {
      const answer = await get(`${path}?since_id=x`)
      expect([answer.status, differences(`GET ${path}`, answer)]).toEqual([422, []])
    }
  })

  it("has an answer in markdown, and one that did not change", async () => {
    const markdown = await world.edge.call("/api/v1/notification-types", { headers: { accept: "text/markdown" } })
    expect([markdown.status, markdown.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"])
    expect(differences("GET /notification-types", markdown)).toEqual([])
    const etag = (await world.edge.call("/api/v1/docs")).headers.get("etag") ?? ""
    const same = await world.edge.call("/api/v1/docs", { headers: { "if-none-match": etag } })
    expect([same.status, differences("GET /docs", same)]).toEqual([304, []])
  })

  it("has a `meta` in every list: an answer without it differs", async () => {
    const list = await get("/notification-types")
    expect(differences("GET /notification-types", list)).toEqual([])
    const { meta, ...bare } = list.json
    expect(meta).toBeDefined()
    expect(differences("GET /notification-types", { ...list, text: JSON.stringify(bare) })).not.toEqual([])
  })
})
