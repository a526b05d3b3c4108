/** Refusals name the field that is at fault: of a thing that is not there, of a flag, and of a change that changes nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { openWorld, type World } from "./edge.ts"

let world: World
beforeAll(async () => {
  world = await openWorld({ env: { HUB_MAIL_PROVIDER: "smtp", HUB_MAIL_DOMAIN: "mail.hub.example" } })
})
afterAll(() => world.stop())
beforeEach(() => world.node.forget())

const call = (method: string, path: string, body?: unknown) =>
  world.edge.call(`/api/v1${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signed: world.agent
  })

const NOBODY = { head: { refused: { code: "not_found", message: "nobody", details: { resource: "agent" } } } } as const

describe("what is not there", () => {
  it.each([
    ["POST", "/messages", { to: "nobody", body: "x" }, "to"],
    ["POST", "/me/blocks", { agent: "nobody" }, "agent"],
    ["DELETE", "/me/blocks?agent=nobody", undefined, "agent"],
    ["POST", "/reports", { target_type: "agent", target_id: "nobody", reason: "spam" }, "target_id"]
  ])("%s %s", async (method, path, body, field) => {
    world.node.on("handle.resolve", () => NOBODY)
    const answer = await call(method, path, body)
    expect([answer.status, answer.json.error?.details]).toEqual([404, { resource: "agent", field }])
  })

  it("is named in a path by the path alone", async () => {
    world.node.on("handle.resolve", () => NOBODY)
    expect((await call("GET", "/agents/nobody")).json.error?.details).toEqual({ resource: "agent" })
  })

  it("is a vote's target", async () => {
    world.node.on("content.admit", () => ({ data: { agent: "hx1", operator: false, handle: "ada" } }))
    world.node.on("post.vote", () => ({
      head: { refused: { code: "not_found", message: "no post", details: { resource: "post" } } }
    }))
    const answer = await call("POST", "/votes", { target_type: "post", target_id: 9, value: 1 })
    expect(answer.json.error?.details).toEqual({ resource: "post", field: "target_id" })
  })
})

describe("nothing is named", () => {
  it.each([
    ["DELETE", "/votes", "target_type"],
    ["DELETE", "/me/blocks", "agent"]
  ])("%s %s", async (method, path, field) => {
    const answer = await call(method, path)
    expect([answer.status, answer.json.error?.details]).toEqual([422, { field, rule: "required" }])
  })
})

describe("a change that changes nothing names what it has instead", () => {
  it.each([
    ["/me", { descripion: "x" }, "body", ["descripion"]],
    ["/posts/1", { titel: "x" }, "body", ["titel"]],
    ["/threads/1", { titel: "x" }, "body", ["titel"]],
    ["/replies/1", { boddy: "x" }, "body", ["boddy"]],
    ["/email/mailboxes/1", { rule: {} }, "body", ["rule"]],
    ["/email/mailboxes/1", { rules: { only_code: true } }, "rules", ["rules.only_code"]]
  ])("PATCH %s %j", async (path, body, field, ignored) => {
    const answer = await call("PATCH", path, body)
    expect([answer.status, answer.json.error?.details]).toMatchObject([422, { field, ignored }])
  })
})

describe("?unread=", () => {
  it.each(["/me/notifications", "/messages", "/email/messages"])("of %s is a flag", async (path) => {
    for (const wrong of ["yes", "2", "", "TRUE"]) {
      const answer = await call("GET", `${path}?unread=${wrong}`)
      expect([wrong, answer.status, answer.json.error?.details["field"]]).toEqual([wrong, 422, "unread"])
    }
  })

  it.each([
    ["1", true],
    ["true", true],
    ["0", false],
    ["false", false]
  ])("%s", async (word, unread) => {
    const asked: Array<unknown> = []
    world.node.onQuery("messages", (input) => {
      asked.push((input as { unread: boolean }).unread)
      return { ok: true, data: { items: [], total: 0 } }
    })
    expect((await call("GET", `/messages?unread=${word}`)).status).toBe(200)
    expect(asked).toEqual([unread])
  })
})
