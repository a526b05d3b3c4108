/** The owner's space at an edge alone: its cookies and headers, where it leads, what it asks, when it says no. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { browserName } from "../../../edge/human/browser-name.ts"
import { PASSWORD_PARAMETERS } from "../../../schemas/human/password.ts"
import { isOwnerPath } from "../../../schemas/human/pages.ts"
import { PAGES } from "../../../edge/http/endpoints.ts"
import { addressesOf } from "../../../edge/sitemap/addresses.ts"
import { waitFor } from "../../harness/index.ts"
import { headingOf, OwnerClient } from "../../html/owner/client.ts"
import { openWorld, playActors, TestEdge, type World } from "../edge.ts"

const HUMAN = `hum_${"a".repeat(16)}`
const SESSION = `hxh_${"a".repeat(16)}${"b".repeat(43)}`
const BELOW = "/below"
const CAPTCHA = {
  id: 7,
  state: "pending",
  kind: "text",
  context: null,
  origin: null,
  created_at: "2026-01-01T00:00:00Z",
  expires_at: "2026-01-01T00:10:00Z",
  answered_at: null,
  answer: null,
  answered_by: null,
  result: null,
  waited: false
}
const RELAY = { email: true, chat: "unlinked", push: null, choices: [] }
const PICTURE = { blob: { sha256: "0".repeat(64), size: 1 }, width: 1, height: 1, type: "png" }
const AGENT = { id: `hx${"0".repeat(24)}`, hx_id: "HX-1", handle: "ada", name: "Ada", status: "active", url: null }

let world: World
/** Behind a proxy with TLS, below a path. */
let secure: TestEdge
beforeAll(async () => {
  world = await openWorld({ limits: WIDE })
  secure = await TestEdge.start({
    nats: world.nats.url,
    limits: WIDE,
    env: { HUB_BASE_URL: `https://hub.example${BELOW}` }
  })
})
afterAll(async () => {
  await secure?.stop()
  await world?.stop()
})

const WIDE = Object.fromEntries(
  ["human_login", "human_register", "human_write"].map((bucket) => [`rate_limits.${bucket}.requests`, 1_000_000])
)

const SALTED = { salt: Buffer.alloc(16, 1).toString("base64"), parameters: PASSWORD_PARAMETERS }
const ACCOUNT = {
  id: HUMAN,
  name: "Ada",
  email: "ada@example.com",
  email_verified: false,
  created_at: "2026-01-01T00:00:00Z"
}

const LATER = {
  sponsorship: 7,
  human: "hum_bbbbbbbbbbbbbbbb",
  confirmed_at: "2026-01-01T00:00:00.000Z",
  waits_until: "2026-01-08T00:00:00.000Z",
  approves: null
}

beforeEach(() => {
  const { node } = world
  playActors(node)
  node.forget()
  const expires_at = new Date(Date.now() + 60_000).toISOString()
  node.on("credential.find", () => ({ data: { human: HUMAN, ...SALTED } }))
  node.on("credential.forgot", () => ({ data: null }))
  node.on("human.open_session", () => ({ data: { expires_at } }))
  node.on("human.account", () => ({ data: ACCOUNT }))
  node.on("human.session", () => ({ data: { session: 1, email_verified: false } }))
  node.on("human.sessions", () => ({ data: { sessions: [] } }))
  node.on("human.two_step", () => ({ data: { enabled: false, codes_left: 0, offered: null } }))
  node.on("human.relay_settings", () => ({ data: RELAY }))
  node.on("human.passkeys", () => ({ data: { passkeys: [] } }))
  node.on("credential.challenge", () => ({ data: { options: "{}", sealed: "sealed" } }))
  node.on("human.rename", () => ({ data: null }))
  node.on("human.reset_link", () => ({ data: { email: ACCOUNT.email, name: ACCOUNT.name } }))
  node.on("human.reset_password", () => ({ data: null }))
  node.onQuery("sponsored", () => ({ ok: true, data: [] }))
  node.onQuery("owner_questions", () => ({ ok: true, data: [] }))
  node.onQuery("owner_latest", () => ({ ok: true, data: [] }))
  node.onQuery("captchas_pending", () => ({ ok: true, data: [] }))
  node.onQuery("consents_pending", () => ({ ok: true, data: [] }))
  node.on("captcha.shown", () => ({ data: { captcha: CAPTCHA, agent: AGENT.id, picture: PICTURE, key: null } }))
  node.on("handle.resolve", () => ({ data: { agent: AGENT.id } }))
  node.on("content.author", () => ({ data: AGENT }))
  node.on("owner.carries", () => ({ data: null }))
  node.on("owner.later", () => ({ data: [LATER] }))
  node.onQuery("people", () => ({ ok: true, data: [{ id: LATER.human, name: "Grace", verification: "email" }] }))
  node.on("vault.owned", () => ({ data: null }))
  node.onQuery("owner_conversation", () => ({ ok: true, data: { items: [], total: 0 } }))
  node.on("human.confirm_address", () => ({ data: { email_verified: true } }))
})

const at = (edge: TestEdge): OwnerClient => new OwnerClient(() => edge.url)

describe("cookies", () => {
  it("are for the owner's space alone, and for no script", async () => {
    const ada = at(world.edge)
    await ada.logIn()
    const [session = "", browser = ""] = ["hub_owner", "hub_owner_form"].map((name) => ada.set.get(name) ?? "")
    expect(session).toMatch(
      /^hub_owner=hxh_[a-z2-7]{16}[\w-]{43}; Path=\/owner; HttpOnly; SameSite=Lax; Max-Age=\d{1,2}$/
    )
    expect(browser).toMatch(/^hub_owner_form=[\w-]{43}; Path=\/owner; HttpOnly; SameSite=Lax$/)
  })

  it("are Secure by name where the service's address is https, below its path", async () => {
    const ada = at(secure)
    const { fields } = await ada.form("/owner/login", `${BELOW}/owner/login`)
    const entered = await ada.post("/owner/login", { ...fields, email: ada.email, password: ada.password })
    expect([entered.status, entered.headers.location]).toEqual([303, `${BELOW}/owner`])
    expect([...ada.set.keys()]).toEqual(["__Secure-hub_owner_form", "__Secure-hub_owner"])
    for (const cookie of ada.set.values())
      expect(cookie).toContain("; Path=/below/owner; HttpOnly; SameSite=Lax; Secure")
    expect((await ada.get(`${BELOW}/owner`)).status).toBe(200)
    const plain = at(secure)
    plain.cookies.set("hub_owner", SESSION)
    expect((await plain.get("/owner")).headers.location).toBe(`${BELOW}/owner/login`)
  })
})

describe("pages", () => {
  const all = [...new Set(PAGES.filter(({ path }) => isOwnerPath(path)).map(({ path }) => path))]
  // Who comes by a link has no session, and there is no form: tests/html/owner/compartment.test.ts.
  const paths = all.filter((path) => !path.startsWith("/owner/links/"))

  it.each(paths)(
    "%s is kept by nobody, found by no search engine, framed nowhere, and tells no address",
    async (path) => {
      const ada = at(world.edge)
      ada.cookies.set("hub_owner", SESSION)
      for (const visitor of [at(world.edge), ada]) {
        const { status, headers, text } = await visitor.get(path.replace(":handle", AGENT.handle).replace(":id", "7"))
        // The picture of this captcha is gone, and no compartment is called like that.
        const isMissing = path.endsWith("/image") || path.startsWith("/owner/compartments/:")
        expect(isMissing ? [303, 404] : [200, 303, 400, 405]).toContain(status)
        expect(headers).toMatchObject({ "cache-control": "no-store", "x-robots-tag": "noindex" })
        expect(headers["referrer-policy"]).toBe("strict-origin")
        expect(headers["access-control-allow-credentials"]).toBeUndefined()
        expect(headers["content-security-policy"]).toContain("form-action 'self'; frame-ancestors 'none'")
        if (status !== 303 && !path.endsWith(".js")) expect(text).toContain('<meta name="robots" content="noindex">')
      }
    }
  )

  it("are no part of the sitemap, and robots are asked to keep out", async () => {
    const shown = addressesOf(
      PAGES.map(({ path }) => path),
      { posts: [], threads: [], agents: [], library: [] }
    )
    expect(shown.filter(({ path }) => isOwnerPath(path))).toEqual([])
    expect((await world.edge.call("/robots.txt")).text).toContain("Disallow: /owner\n")
  })

  it("show no token of a letter but in a field", async () => {
    const token = `${"a".repeat(16)}${"c".repeat(43)}`
    const { text } = await at(world.edge).get(`/owner/forgot?token=${token}`)
    expect(text.split(token)).toHaveLength(2)
    expect(text).toContain(`<input type="hidden" name="token" value="${token}">`)
    expect(JSON.stringify(world.edge.logged)).not.toContain(token)
  })
})

describe("a login leads", () => {
  it.each([
    ["/owner/settings", "/owner/settings"],
    ["/owner", "/owner"],
    ["/owner/nowhere", "/owner"],
    ["/owner/logout", "/owner"],
    ["/agents", "/owner"],
    ["//evil.example", "/owner"],
    ["/owner//evil.example", "/owner"],
    ["https://evil.example/owner", "/owner"],
    ["/\\evil.example", "/owner"],
    ["/owner/../agents", "/owner"],
    ["/owner/settings\r\nx: y", "/owner"],
    ["/owner/settings?x=1", "/owner"],
    ["javascript:alert(1)", "/owner"]
  ])("from ?next=%s to %s", async (next, to) => {
    const ada = at(world.edge)
    const { email, password } = ada
    const page = `/owner/login?next=${encodeURIComponent(next)}`
    const form = await ada.form(page, "/owner/login")
    expect(form.fields["next"]).toBe(to)
    const answer = await ada.post("/owner/login", { ...form.fields, email, password, next })
    expect([answer.status, answer.headers.location]).toEqual([303, to])
    expect((await ada.get(page)).headers.location).toBe(to)
  })
})

describe("what the account is asked", () => {
  it("is the same command for the same form, and another for the next", async () => {
    const ada = at(world.edge)
    ada.cookies.set("hub_owner", SESSION)
    const like = { action: "rename" }
    const first = await ada.form("/owner/settings", "/owner/settings", like)
    const next = await ada.form("/owner/settings", "/owner/settings", like)
    for (const { fields } of [first, first, next]) await ada.post("/owner/settings", { ...fields, name: "Ada" })
    const [one, again, other] = world.node.asked("human.rename").map(({ command }) => command)
    expect(one).toMatch(/^[0-9a-f]{32}\.human\.rename$/)
    expect([again === one, other === one]).toEqual([true, false])
    // The same form with another content is another wish.
    await ada.post("/owner/settings", { ...first.fields, name: "Ada Lovelace" })
    const ids = world.node.asked("human.rename").map(({ command }) => command)
    expect([ids.length, new Set(ids).size]).toEqual([4, 3])
  })

  it("names the form that a session is opened by, and makes no command of it", async () => {
    const ada = at(world.edge)
    const { fields } = await ada.form("/owner/login")
    const { email, password } = ada
    const headers = { "user-agent": "Mozilla/5.0 (iPhone; CPU) AppleWebKit/605 Version/26.0 Mobile Safari/604.1" }
    for (const _ of [1, 2]) {
      ada.cookies.delete("hub_owner")
      await ada.post("/owner/login", { ...fields, email, password }, headers)
    }
    const [one, two] = world.node.asked("human.open_session")
    expect(one?.command).toBeUndefined()
    expect(one?.input).toMatchObject({ form: expect.stringMatching(/^[0-9a-f]{32}$/), browser: "Safari on iPhone" })
    const forms = [one, two].map((ask) => (ask?.input as { readonly form: string } | undefined)?.form)
    expect(new Set(forms).size).toBe(1)
  })

  it("for a new password is its hash, by the link's hash; no session is opened", async () => {
    const token = `${"a".repeat(16)}${"c".repeat(43)}`
    const ada = at(world.edge)
    const form = await ada.form(`/owner/forgot?token=${token}`, "/owner/forgot")
    const short = await ada.post("/owner/forgot", { ...form.fields, password: "short" })
    expect([short.status, headingOf(short)]).toEqual([422, "Choose a new password"])
    const done = await ada.post("/owner/forgot", { ...form.fields, password: ada.password })
    expect([done.status, done.headers.location, ada.session]).toEqual([303, "/owner/login", undefined])
    const [ask] = world.node.asked("human.reset_password")
    expect(ask?.actor).toBe(HUMAN)
    expect(JSON.stringify(ask)).not.toContain(token)
    expect(JSON.stringify(world.node.asks)).not.toContain(ada.password)
  })

  it("to confirm an address is asked by a POST alone", async () => {
    const token = `${"a".repeat(16)}${"c".repeat(43)}`
    const ada = at(world.edge)
    const form = await ada.form(`/owner/verify?token=${token}`, "/owner/verify")
    expect(world.node.asked("human.confirm_address")).toEqual([])
    const done = await ada.post("/owner/verify", form.fields)
    expect([done.status, done.headers.location]).toEqual([303, "/owner"])
    expect(world.node.asked("human.confirm_address")).toHaveLength(1)
  })
})

it("asking for a letter takes as long where nobody has the address, and says no sooner that it failed", async () => {
  const took = async (email: string): Promise<number> => {
    const ada = at(world.edge)
    const { fields } = await ada.form("/owner/forgot")
    const began = performance.now()
    await ada.post("/owner/forgot", { ...fields, email })
    return performance.now() - began
  }
  expect(await took("ada@example.com")).toBeGreaterThanOrEqual(299)
  world.node.on("credential.forgot", () => ({ head: { refused: { code: "unavailable", message: "Not now." } } }))
  expect(await took("ada@example.com")).toBeGreaterThanOrEqual(299)
})

describe.each([
  ["human_login", "/owner/login", "rate_limits.human_login.requests"],
  ["human_login", "/owner/forgot", "rate_limits.human_login.requests"],
  ["human_login", "/owner/login/passkey", "rate_limits.human_login.requests"],
  ["forgot_per_address", "/owner/forgot", "limits.owner.forgot_per_address.requests"],
  ["human_register", "/owner/signup", "rate_limits.human_register.requests"]
])("the bucket %s at %s", (bucket, path, limit) => {
  it("is told with the time to come back", async () => {
    world.node.on("limit.draw", ({ input }) => {
      const { wanted, ...drawn } = input as { bucket: string; wanted: number }
      return { data: { granted: drawn.bucket === bucket ? 0 : wanted, resets_at: Date.now() + 600_000 } }
    })
    const edge = await TestEdge.start({ nats: world.nats.url, limits: { ...WIDE, [limit]: 7 } })
    const answer = await waitFor(async () => {
      const ada = at(edge)
      const one = await ada.fill(path, { name: ada.name, email: ada.email, password: ada.password })
      return one.status === 429 ? one : null
    })
    await edge.stop()
    expect(headingOf(answer)).toBe("Too many requests")
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(500)
    expect(answer.text).toContain("<p>Try again in 10 minutes.</p>")
    expect(answer.text).toContain('/owner">Your account</a>')
  })
})

it.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0",
    "Edge on Windows"
  ],
  ["Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36", "Chrome on Android"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/26.0 Safari/605", "Safari on macOS"],
  ["curl/8.5.0", "curl"],
  ["<script>", null],
  [undefined, null]
])("a browser of %s is called %s", (agent, name) => {
  expect(browserName(agent)).toBe(name)
})
