/** What the text of a body may hold, and what is said of what is not understood. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { world, openBounded, patch } from "./bounded.ts"

beforeAll(openBounded)
afterAll(() => world.stop())
beforeEach(() => world.node.forget())

const linksOf = (count: number, path: string) =>
  Array.from({ length: count }, () => ({ label: "🤖".repeat(80), url: `https://x.example/${path}` }))

describe("JSON", () => {
  it("is read whatever its Content-Type says", async () => {
    for (const type of [
      "application/x-www-form-urlencoded",
      "text/plain",
      "application/json; charset=utf-8",
      "nonsense"
    ]) {
      expect((await patch('{"name":"x"}', { "content-type": type })).status).toBe(200)
    }
  })

  it.each([
    ["no JSON", '{"name":'],
    ["with a byte order mark", Buffer.from('\ufeff{"name":"x"}')],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ["two values", "{}{}"],
    ["too deep", `{"name":${"[".repeat(100)}${"]".repeat(100)}}`]
  ])("that cannot be read is 422 on body: %s", async (_name, body) => {
    const answer = await patch(body)
    expect([answer.status, answer.json.error.code, answer.json.error.details["field"]]).toEqual([
      422,
      "validation_error",
      "body"
    ])
  })

  it.each([
    ["in an array", `{"name":"x","a":[${"0,".repeat(20_001)}0]}`],
    ["in one object", `{"name":"x",${Array.from({ length: 1_001 }, (_, n) => `"k${n}":0`).join(",")}}`]
  ])("of too many members is 422 on body: %s", async (_name, body) => {
    const answer = await patch(body)
    expect([answer.status, answer.json.error.details]).toEqual([422, { field: "body", rule: "members" }])
  })

  it("of a million brackets neither crashes nor stalls", async () => {
    const answer = await patch("[".repeat(1_000_000))
    expect(answer.status).toBe(422)
  })

  it.each([
    ['{"name":5}', "name", "must be a string"],
    ['{"name":""}', "name", "1 to 80"],
    ['{"name":"a\\nb"}', "name", "one line"],
    ['{"links":{}}', "links", "must be an array"],
    ['{"links":[{"label":"a","url":"ftp://x"}]}', "links.0.url", "http or https"],
    ['{"links":[{"url":"https://x.example/"}]}', "links.0.label", "is required"],
    ['{"webhook_url":5}', "webhook_url", "a string or null"],
    ['{"webhook_url":"https://x.example:81/"}', "webhook_url", "port 443"],
    ['{"description":[]}', "description", "must be a string"],
    ['{"description":"a\\u0001"}', "description", "control characters"],
    ['{"description":"a\\u001b[31m"}', "description", "control characters"],
    ['{"transparency":"a\\u009b"}', "transparency", "control characters"],
    ['{"links":[{"label":"a","url":"https://x.example/\\u0001"}]}', "links.0.url", "http or https"],
    ['{"webhook_url":"https://x.example/\\tx"}', "webhook_url", "address"],
    [JSON.stringify({ links: linksOf(20, "é".repeat(2_028)) }), "links", "at most 49152 bytes"]
  ])("with a bad field names it by its path: %s", async (body, field, message) => {
    const answer = await patch(body)
    expect(answer.status).toBe(422)
    expect(answer.json.error.details["field"]).toBe(field)
    expect(answer.json.error.message).toContain(message)
  })

  it("may hold as many links as an agent may have, as long as each may be, and text of several lines", async () => {
    const body = { links: linksOf(20, "x".repeat(2_030)), description: "a\tb\r\nc\n", transparency: "# a\n\n\tb" }
    expect(body.links[0]?.url).toHaveLength(2_048)
    const answer = await patch(JSON.stringify(body))
    expect([answer.status, answer.json.data["description"]]).toEqual([200, body.description])
  })

  it.each(["[]", "null", "{}", '"x"', "5", "true", '{"unknown":1}', '{"__proto__":{"name":"x"}}', ""])(
    "that changes nothing is refused in one way: %s",
    async (body) => {
      const answer = await patch(body)
      expect(answer.status).toBe(422)
      expect(answer.json.error).toMatchObject({
        message: "Nothing to update",
        details: { fields: ["name", "description", "transparency", "links", "webhook_url"] }
      })
    }
  )

  it("with __proto__ keys loses them and nothing else", async () => {
    const answer = await patch(
      '{"name":"x","__proto__":{"polluted":true},"links":[{"label":"a","url":"https://x.example/","__proto__":{"polluted":true}}]}'
    )
    expect(answer.status).toBe(200)
    expect(answer.json.data).toMatchObject({ name: "x", links: [{ label: "a", url: "https://x.example/" }] })
    expect(answer.text).not.toContain("polluted")
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })

  it.each(['"__proto__"', '"\\u005f_proto__"', '"constructor"'])(
    "with %s as a name changes nothing but itself",
    async (name) => {
      const answer = await patch(
        `{"name":"x",${name}:{"polluted":1,"prototype":{"polluted":1}},` +
          `"links":[{"label":"a","url":"https://x.example/",${name}:{"polluted":1}}]}`
      )
      expect([answer.status, answer.json.data["name"]]).toEqual([200, "x"])
      expect(JSON.stringify(world.node.asked("agent.update")[0]?.input)).toBe(
        '{"name":"x","links":[{"label":"a","url":"https://x.example/"}]}'
      )
      expect("polluted" in {}).toBe(false)
    }
  )
})

describe("what is not understood in a body", () => {
  const given = (body: object, path = "/api/v1/me", method = "PATCH") =>
    world.edge.call(path, { method, body: JSON.stringify(body), signed: world.agent })

  it("is named in meta.ignored, beside the answer that was given", async () => {
    const answer = await given({ name: "x", nmae: 1, links: [{ label: "a", url: "https://x.example/", title: "t" }] })
    expect(answer.json).toMatchObject({ ok: true, data: { name: "x" }, meta: { ignored: ["nmae", "links.0.title"] } })
    expect(Number(answer.headers.get("content-length"))).toBe(Buffer.byteLength(answer.text))
  })

  it("is not spoken of where there is nothing", async () => {
    expect((await given({ name: "x" })).json).not.toHaveProperty("meta")
  })

  it("is named 20 times at most, each cut at 64 characters", async () => {
    const answer = await given({
      name: "x",
      ...Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}-${"u".repeat(100)}`, n]))
    })
    const ignored = answer.json.meta?.["ignored"] as ReadonlyArray<string>
    expect(ignored).toHaveLength(20)
    for (const name of ignored) expect([name.length, name.endsWith("u…")]).toEqual([65, true])
  })

  it("is named on every body", async () => {
    world.node.on("notification.read", () => ({ data: { marked_read: 0 } }))
    expect((await given({ ids: [], all: true }, "/api/v1/me/notifications/read", "POST")).json.meta).toEqual({
      ignored: ["all"]
    })
    expect(
      (await given({ method: "GET", host: "x", path: "/", headers: {}, body: "" }, "/api/v1/id/verify", "POST")).json
        .meta
    ).toEqual({ ignored: ["body"] })
  })
})

describe("a report to /id/verify", () => {
  const report = { method: "GET", host: "shop.example", path: "/offers", headers: {} }
  it.each([
    ["method", { method: undefined }],
    ["host", { host: "https://shop.example" }],
    ["path", { path: "https://shop.example/offers" }],
    ["path", { path: "HTTP://shop.example/offers" }]
  ])("whose %s is left out or holds a whole address is 422: %j", async (field, change) => {
    const answer = await world.edge.call("/api/v1/id/verify", {
      method: "POST",
      body: JSON.stringify({ ...report, ...change })
    })
    expect([answer.status, answer.json.error.details["field"]]).toEqual([422, field])
  })

  it("whose host is none, or whose path holds an address in its query, gets a verdict", async () => {
    for (const change of [{ host: "shop.example/x" }, { host: "" }, { path: "/offers?from=https://other.example/" }]) {
      expect(
        (await world.edge.call("/api/v1/id/verify", { method: "POST", body: JSON.stringify({ ...report, ...change }) }))
          .status
      ).toBe(200)
    }
  })
})
