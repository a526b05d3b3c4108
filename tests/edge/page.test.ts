/** Pages go the way of every request: declared once, bounded, limited, counted, and refused as pages. */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { escape } from "../../edge/kit/html.ts"
import { ENDPOINTS, endpointsOf, PAGES } from "../../edge/http/endpoints.ts"
import { pagesOf } from "../../edge/http/handlers.ts"
import { EVERYTHING } from "../../edge/served.ts"
import { describe as told } from "../../schemas/envelope.ts"
import { waitFor } from "../harness/index.ts"
import { type Answered, type Call, openWorld, playActors, TestEdge, type World } from "./edge.ts"
import { KEPT_SECONDS, Notes, TITLE_MAX } from "./notes.ts"

const BROWSER = { accept: "text/html" }
const FORM = { "content-type": "application/x-www-form-urlencoded" }
const CEILING = 500
/** Nobody answers what pages ask here. */
const DEADLINE_MS = 500
const notes = new Notes()

let world: World
beforeAll(async () => {
  world = await openWorld({
    served: notes.served,
    limits: { "limits.max_plain_request_bytes": CEILING, "service.request_deadline_ms": DEADLINE_MS }
  })
})
afterAll(() => world?.stop())
beforeEach(() => {
  notes.written.length = 0
})

const post = (body: Call["body"] & {}, headers: Readonly<Record<string, string>> = {}): Promise<Answered> =>
  world.edge.call("/notes", { method: "POST", body, headers: { ...FORM, ...headers } })

const lengthened = (form: string, bytes: number): string => `${form}&more=`.padEnd(bytes, "x")

describe("a declared page", () => {
  it("is no part of the interface, and lies outside its path", () => {
    expect(PAGES.length).toBeGreaterThan(8)
    expect(PAGES.filter(({ path }) => path.startsWith("/api/"))).toEqual([])
    const described = new Set(ENDPOINTS.map(({ id }) => id))
    expect(PAGES.filter(({ id }) => described.has(id))).toEqual([])
  })

  const taken = Map.groupBy(PAGES, ({ path }) => path)
  const methodsOf = (path: string) => (taken.get(path) ?? []).map(({ method }) => method)

  it.each([...taken.keys()].filter((path) => methodsOf(path).includes("GET")))(
    "GET %s is served, and nothing is taken but what is declared",
    async (path) => {
      const address = path.replace(/:\w+/g, "nobody")
      const answer = await world.edge.call(address, { headers: BROWSER })
      expect([200, 302, 303, 400, 404, 503]).toContain(answer.status)
      expect(answer.text).not.toContain("The interface begins at")
      const other = await world.edge.call(address, { method: "DELETE", headers: BROWSER })
      expect([other.status, other.headers.get("allow")]).toEqual([
        405,
        [...methodsOf(path), "HEAD", "OPTIONS"].join(", ")
      ])
      const id = answer.headers.get("x-request-id")
      const line = await waitFor(() => world.edge.logged.find((one) => one["id"] === id))
      expect(line["path"], "what opens something is told by its name alone").toBe(
        path.endsWith("/:token") ? path : address
      )
    }
  )

  it("gets its parameters as they are spelled, and its query decoded", async () => {
    expect((await world.edge.call("/notes/a%20b")).text).toBe("a%20b as it is")
    expect((await world.edge.call("/notes/a?sort=new")).text).toBe("a new")
    const refused = await world.edge.call("/notes/a?sort=odd")
    expect([refused.status, refused.json.error.details]).toEqual([422, { field: "sort" }])
  })

  it("is kept as long as it says, by nobody else where it tells who came, and never where it is refused", async () => {
    const kept = async (path: string, headers: Readonly<Record<string, string>> = {}) =>
      (await world.edge.call(path, { headers })).headers.get("cache-control")
    expect(await kept("/notes/a")).toBe(`public, max-age=${KEPT_SECONDS}`)
    expect(await kept("/notes/a", { "user-agent": `HubAgent/1.0 (HX-000001; +${world.edge.url}/id/HX-000001)` })).toBe(
      "private, no-store"
    )
    expect(await kept("/notes/none")).toBe("no-store")
    expect(await kept("/notes")).toBe("no-store")
  })

  it("takes no notice of the interface's signatures", async () => {
    const answer = await world.edge.call("/notes/a", { headers: { "x-hub-key": "AAAA", "x-hub-nonce": "x" } })
    expect(answer.status).toBe(200)
  })

  it("draws on the bucket of pages, whatever is sent to it", async () => {
    const spent = { granted: 0, limit: 1, remaining: 0, resets_at: Date.now() + 60_000 }
    const edge = await TestEdge.start({ nats: world.nats.url, served: notes.served })
    world.node.on("limit.draw", (ask) => ({ data: ask.actor.startsWith("web.") ? spent : { ...spent, granted: 100 } }))
    const answer = await waitFor(async () => {
      const one = await edge.call("/notes", { method: "POST", body: "title=a&stars=1", headers: FORM })
      return one.status === 200 ? null : one
    })
    playActors(world.node)
    await edge.stop()
    expect([answer.status, answer.json.error.details["bucket"]]).toEqual([429, "web"])
  })

  it("must be for anybody, lie outside the interface, take a form, and be handled", () => {
    const page = HttpApiEndpoint.get("one", "/one", { success: Schema.String })
    const read = (group: HttpApiGroup.Constraint) => () => endpointsOf(HttpApi.make("wrong").add(group))
    const pages = HttpApiGroup.make("page.one")
    const signed = page.annotateMerge(told("signed", "One"))
    expect(read(pages.add(page))).toThrow("does not say who may call it")
    expect(read(pages.add(signed))).toThrow("must be for anybody")
    expect(read(HttpApiGroup.make("one").add(signed))).toThrow("wrong side")
    expect(read(pages.add(signed.prefix("/api/v1")))).toThrow("wrong side")
    const json = HttpApiGroup.make("page.json").add(
      HttpApiEndpoint.post("json", "/json", { payload: Schema.Struct({ a: Schema.String }), success: Schema.String })
    )
    expect(() => pagesOf(json, { json: () => expect.unreachable() })).toThrow("must take one form")
  })

  it("without a handler keeps an edge from starting", async () => {
    const served = { endpoints: notes.served.endpoints, routes: EVERYTHING.routes }
    await expect(TestEdge.start({ nats: world.nats.url, served })).rejects.toThrow("Nothing handles page.note.notes")
  })
})

describe("a form", () => {
  it("comes to its handler by its schema", async () => {
    const answer = await post("title=x&title=a+%C3%A9+b&stars=4.5&draft=on&stray=1&__proto__=2", {
      "content-type": "Application/X-WWW-Form-Urlencoded; charset=UTF-8"
    })
    expect([answer.status, answer.text]).toEqual([200, "<h1>5 letters, 4.5 stars</h1>"])
    expect(notes.written).toEqual([{ title: "a é b", stars: 4.5, draft: "on" }])
  })

  it.each([
    ["a missing field", "stars=1", { field: "title" }, "title is required."],
    ["a number that is none", "title=a&stars=many", { field: "stars" }, expect.stringMatching(/^stars .+\.$/)],
    [
      "a text that is too long",
      `title=${"a".repeat(TITLE_MAX + 1)}&stars=1`,
      { field: "title", rule: "max", max: TITLE_MAX },
      /at most 20/
    ],
    ["a value that is not offered", "title=a&stars=1&draft=off", { field: "draft" }, /draft/],
    ["nothing at all", "", { field: "title" }, "title is required."]
  ])("with %s is refused by the field's name", async (_what, body, details, message) => {
    const answer = await post(body)
    expect([answer.status, answer.json.error.code, answer.json.error.details]).toEqual([
      422,
      "validation_error",
      details
    ])
    expect(answer.json.error.message).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message)
    const page = await post(body, BROWSER)
    expect([page.status, page.headers.get("content-type")]).toEqual([422, "text/html; charset=utf-8"])
    expect(page.text).toContain(`<p>${escape(answer.json.error.message)}</p>`)
    expect(notes.written).toEqual([])
  })

  it.each([
    ["JSON", '{"title":"a","stars":1}', { "content-type": "application/json" }],
    ["of no type", "title=a&stars=1", { "content-type": "text/plain" }],
    ["no UTF-8", Buffer.from([...Buffer.from("stars=1&title="), 0xff]), {}]
  ])("that is none is refused as a whole: %s", async (_what, body, headers: Readonly<Record<string, string>>) => {
    const answer = await post(body, headers)
    expect([answer.status, answer.json.error.details]).toEqual([422, { field: "body", rule: "form" }])
    expect(notes.written).toEqual([])
  })

  it("may be as large as its endpoint's ceiling, and no larger", async () => {
    expect((await post(lengthened("title=a&stars=1", CEILING))).status).toBe(200)
    const answer = await post(lengthened("title=a&stars=1", CEILING + 1), BROWSER)
    expect([answer.status, answer.headers.get("connection")]).toEqual([413, "close"])
    expect(answer.text).toContain("<h1>Too large</h1>")
    expect(notes.written).toHaveLength(1)
  })

  it("is announced by OPTIONS, and sent to where it is taken alone", async () => {
    const options = await world.edge.call("/notes", { method: "OPTIONS" })
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, POST, HEAD, OPTIONS"])
    const answer = await world.edge.call("/notes/a", { method: "POST", body: "title=a&stars=1", headers: FORM })
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"])
  })
})

describe("a form is let in", () => {
  const ours = () => world.edge.url
  it.each<[string, number, () => Readonly<Record<string, string>>]>([
    ["from the page it is on", 200, () => ({ "sec-fetch-site": "same-origin", origin: ours() })],
    ["from such a page that keeps its origin back", 200, () => ({ "sec-fetch-site": "same-origin", origin: "null" })],
    ["from no page", 200, () => ({ "sec-fetch-site": "none" })],
    ["from an old browser, by its origin", 200, () => ({ origin: ours() })],
    ["from what is no browser", 200, () => ({})]
  ])("%s", async (_from, status, headers) => {
    expect((await post("title=a&stars=1", headers())).status).toBe(status)
    expect(notes.written).toHaveLength(1)
  })

  it.each<[string, () => Readonly<Record<string, string>>]>([
    ["another site", () => ({ "sec-fetch-site": "cross-site", origin: "https://evil.example" })],
    ["another site that lies about its origin", () => ({ "sec-fetch-site": "cross-site", origin: ours() })],
    ["another host of the same domain", () => ({ "sec-fetch-site": "same-site" })],
    ["a value that nobody knows", () => ({ "sec-fetch-site": "of course" })],
    ["an origin elsewhere", () => ({ origin: "https://evil.example" })],
    ["an origin that is kept back", () => ({ origin: "null" })],
    ["the same host by another scheme", () => ({ origin: ours().replace("http:", "https:") })],
    ["the same host at another port", () => ({ origin: "http://127.0.0.1:1" })],
    ["an address that only begins like ours", () => ({ origin: `${ours()}.evil.example` })],
    ["a name before ours", () => ({ origin: ours().replace("//", "//evil.example@") })]
  ])("but not from %s", async (_from, headers) => {
    // Refused before it is read: else its size would be what is wrong.
    const body = lengthened("title=a&stars=1", CEILING + 1)
    const answer = await post(body, headers())
    expect([answer.status, answer.json.error.code, answer.headers.get("connection")]).toEqual([
      403,
      "cross_site",
      "close"
    ])
    const page = await post("title=a&stars=1", { ...BROWSER, ...headers() })
    expect(page.text).toContain("<p>This form was sent by another site. Send it from the page it is on.</p>")
    expect(notes.written).toEqual([])
  })

  it("and pages that change nothing are open to links from anywhere", async () => {
    const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" }
    expect((await world.edge.call("/notes/a", { headers })).status).toBe(200)
    expect((await world.edge.call("/notes", { method: "HEAD", headers })).status).toBe(200)
  })
})
