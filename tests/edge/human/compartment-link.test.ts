/** The page behind a compartment's link at an edge alone: what opens it and what does not, its cookie, headers and log. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { RUNTIME_LIMITS, quotasRecord } from "../../../schemas/compartment/limits.ts"
import type { KnownCompartment } from "../../../schemas/compartment/operations.ts"
import { KEY_NOT_SET } from "../../../schemas/compartment/records.ts"
import { waitFor } from "../../harness/index.ts"
import type { Answer } from "../../support/http.ts"
import { formsOf, OwnerClient } from "../../html/owner/client.ts"
import { openWorld, playActors, TestEdge, type World } from "../edge.ts"

const BELOW = "/below"
const ID = `cmp_${"a".repeat(20)}`
const SECRET = `${"s".repeat(30)}-_`
const PATH = `/owner/links/${ID}.${SECRET}`
const AGENT = { id: `hx${"0".repeat(24)}`, hx_id: "HX-1", handle: "ada", name: "Ada", status: "active", url: null }
const COMPARTMENT: KnownCompartment = {
  id: ID,
  name: "one",
  command: "</code><script>x</script>",
  image: "i",
  status: "stopped",
  desired: "stopped",
  secrets: [],
  environment: { HUB_URL: "http://x", HUB_ID: AGENT.id, HUB_COMPARTMENT: ID, HUB_KEY: KEY_NOT_SET },
  owner: "hum_somebody",
  agent: AGENT.id,
  quotas: quotasRecord(RUNTIME_LIMITS.quotas),
  exit_code: null,
  oom_killed: false,
  restart_count: 0,
  next_restart_at: null,
  last_error: "\u202e<b>wrong",
  suspended: null,
  created_by: "agent",
  created_at: "2026-01-01T00:00:00Z",
  started_at: null,
  stopped_at: null,
  events: [{ id: 1, at: "2026-01-01T00:00:00Z", type: "suspended", message: "\u0007<img src=x>" }]
}

let world: World
/** Behind a proxy with TLS, below a path. */
let secure: TestEdge
beforeAll(async () => {
  world = await openWorld()
  secure = await TestEdge.start({ nats: world.nats.url, env: { HUB_BASE_URL: `https://hub.example${BELOW}` } })
})
afterAll(async () => {
  await secure?.stop()
  await world?.stop()
})

/** As the compartment's actor does: the first browser has it. */
beforeEach(() => {
  const { node } = world
  playActors(node)
  node.forget()
  let has: string | null = null
  node.on("compartment.open_link", ({ input }) => {
    const { token, browser } = input as { readonly token: string; readonly browser: string }
    const isRefused = token !== SECRET || (has !== null && has !== browser)
    if (isRefused) return { head: { refused: { code: "not_found", message: "There is no such link." } } }
    has = browser
    return { data: { compartment: COMPARTMENT, host: "host_1" } }
  })
  node.on("compartment.link_waits", ({ input }) => {
    const { token } = input as { readonly token: string }
    if (token === SECRET && has === null) return { data: null }
    return { head: { refused: { code: "not_found", message: "There is no such link." } } }
  })
  node.on("fleet.hosts", () => ({ data: [] }))
  node.on("content.author", () => ({ data: AGENT }))
  node.onQuery("people", () => ({ ok: true, data: [{ id: "hum_somebody", name: "Grace", verification: "email" }] }))
})

const visitor = (edge = world.edge): OwnerClient => new OwnerClient(() => edge.url)

const open = async (client: OwnerClient, below = ""): Promise<Answer> => {
  const { fields } = await client.form(PATH, below + PATH)
  return client.post(PATH, fields)
}

it("opens by its button for the first browser, which is known by a cookie of that address alone", async () => {
  const first = visitor()
  const led = await open(first)
  expect([led.status, led.headers.location]).toEqual([303, PATH])
  expect(first.set.get("hub_owner_link")).toMatch(
    /^hub_owner_link=[0-9a-f]{64}; Path=\/owner\/links\/cmp_a{20}\.s{30}-_; HttpOnly; SameSite=Lax; Max-Age=3600$/
  )
  const shown = await first.get(PATH)
  expect([shown.status, formsOf(shown.text)]).toEqual([200, []])
  expect((await first.get(PATH)).status).toBe(200)
  expect((await visitor().get(PATH)).status).toBe(404)
  const [, again] = world.node.asked("compartment.open_link")
  expect(again?.input).toEqual({ token: SECRET, browser: first.cookies.get("hub_owner_link") })
})

it("is opened by a button that is pressed twice, whichever answer the browser keeps", async () => {
  const first = visitor()
  const { fields } = await first.form(PATH, PATH)
  const pressed = await Promise.all([first.post(PATH, fields), first.post(PATH, fields)])
  expect(pressed.map(({ status }) => status)).toEqual([303, 303])
  const kept = new Set(
    pressed.flatMap(({ headers }) => String(headers["set-cookie"]).match(/hub_owner_link=[\w-]+/g) ?? [])
  )
  expect(kept.size).toBe(1)
  expect((await first.get(PATH)).status).toBe(200)
})

it("is left as it was by every GET and HEAD, and by a form of another browser", async () => {
  const scanner = visitor()
  const ahead = await scanner.get(PATH)
  expect([ahead.status, formsOf(ahead.text).length, ahead.text.includes("What it wrote")]).toEqual([200, 1, false])
  expect(scanner.set.get("hub_owner_link")).toBeUndefined()
  expect(ahead.headers).toMatchObject({ "cache-control": "no-store", "x-robots-tag": "noindex" })
  expect((await fetch(world.edge.url + PATH, { method: "HEAD" })).status).toBe(200)
  const { fields } = await scanner.form(PATH, PATH)
  expect((await visitor().post(PATH, fields)).status).toBe(403)
  expect(world.node.asked("compartment.open_link")).toEqual([])
  expect((await open(visitor())).status).toBe(303)
})

it("is opened by one of two browsers that had the page", async () => {
  const [one, other] = [visitor(), visitor()]
  const { fields } = await other.form(PATH, PATH)
  expect((await open(one)).status).toBe(303)
  expect([(await other.post(PATH, fields)).status, other.set.has("hub_owner_link")]).toEqual([404, false])
})

it("is kept by nobody, found by no search engine, and tells nobody where its reader comes from", async () => {
  const reader = visitor()
  await open(reader)
  const { headers, text } = await reader.get(PATH)
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "x-robots-tag": "noindex",
    "referrer-policy": "no-referrer"
  })
  expect(headers["content-security-policy"]).toContain("form-action 'none'; frame-ancestors 'none'")
  expect(text).toContain('<meta name="robots" content="noindex">')
  // Nor who stands behind the agent.
  expect(text).not.toContain("Grace")
  expect(text).not.toContain(SECRET)
})

it("has the cookie Secure by name where the service's address is https, below its path", async () => {
  const first = visitor(secure)
  expect((await open(first, BELOW)).status).toBe(303)
  expect(first.set.get("__Secure-hub_owner_link")).toMatch(
    /; Path=\/below\/owner\/links\/cmp_a{20}\.s{30}-_; HttpOnly; SameSite=Lax; Secure; Max-Age=3600$/
  )
})

it.each([`${PATH}x`, `/owner/links/${ID}`, "/owner/links/x.y", `/owner/links/${ID}.${"t".repeat(32)}`])(
  "%s is none",
  async (path) => {
    const nobody = visitor()
    expect([(await nobody.get(path)).status, nobody.set.size]).toEqual([404, 0])
  }
)

it("shows what strangers wrote as text, and tells the log no token", async () => {
  const reader = visitor()
  await open(reader)
  const { text } = await reader.get(PATH)
  expect(text).toContain("&lt;/code&gt;&lt;script&gt;")
  expect(text).not.toMatch(/<script|<img|\u202e/)
  expect(text).not.toContain("\u0007")
  const logged = await waitFor(() => {
    const lines = JSON.stringify(world.edge.logged)
    return Promise.resolve(lines.includes("/owner/links/:token") ? lines : null)
  })
  expect(logged).not.toContain(SECRET)
})
