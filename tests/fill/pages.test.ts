/**
 * The list of pages (issue: thirty of them, at least 28 filled right, each hostile one refused under its code), made as
 * great sites make theirs, on real https origins. Every page must hold by itself; the figures are told at the end.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { totpOf } from "../../edge/fill/totp.ts"
import { waitFor } from "../harness/index.ts"
import { type FillBench, openBench, told } from "../support/fill.ts"
import { LIMITS_OF_CARD } from "../support/vault.ts"

const SHOP = "https://shop.example"
const CHECKOUT = "https://checkout.example"
const USER = "ada@shop.example"
const PASSWORD = "Correct-Horse 7"
const TOTP = "JBSWY3DPEHPK3PXP"
const NUMBER = "4111111111111111"
const CARD = { number: NUMBER, exp_month: "04", exp_year: "2031", cvc: "123", name: "Ada Lovelace" }
const LIMITS = { ...LIMITS_OF_CARD, per_day: "1000", fills_per_day: 20 }
const AMOUNT = { amount: "42.50", currency: "EUR", submit: true }
const KEY = "k-123456789"

let bench: FillBench
let [secret, elsewhere, card] = [0, 0, 0]
beforeAll(async () => {
  bench = await openBench(["*.example", "shop.internal"])
  const login = { username: USER, password: PASSWORD, totp: TOTP }
  await bench.write({ fields: login })
  await bench.write({ origins: [CHECKOUT, "https://accounts.example"], fields: login })
  const paid = { kind: "card", limits: LIMITS, fields: { ...CARD, limits: LIMITS } } as const
  card = (await bench.write({ ...paid, origins: [SHOP] })).id
  await bench.write({ ...paid, origins: [CHECKOUT, "https://pay.example"] })
  secret = (await bench.write({ kind: "secret", origins: [SHOP], fields: { value: KEY } })).id
  elsewhere = (await bench.write({ kind: "secret", origins: ["https://other.example"], fields: { value: KEY } })).id
  const profile = { email: "ada@mail.example", given_name: "Ada", family_name: "Lovelace", username: "ada" }
  await bench.write({ kind: "profile", fields: profile })
})
afterAll(() => bench?.stop())
beforeEach(() => {
  bench.websites.sent.length = 0
})

const sent = () => waitFor(() => bench.lastSent(), { describe: "the page has sent it" })

interface Good {
  readonly page: string
  readonly site?: string
  readonly path?: string
  readonly body?: () => object
  /** What the agent does first. */
  readonly before?: () => Promise<unknown>
  /** What the website gets: nothing but this has anything in it. */
  readonly sent: Readonly<Record<string, unknown>>
}

const login = (page: string, user: string, password: string, more: Partial<Good> = {}): Good => ({
  page,
  sent: { [user]: USER, [password]: PASSWORD },
  ...more
})
const press = (selector: string) => () => bench.page.click(selector)
const numbered = (...names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name, at) => [name, NUMBER.slice(at * 4, at * 4 + 4)]))
const isCode = { asymmetricMatch: (code: unknown) => codes().includes(String(code)) }
const codes = () => [-30_000, 0].map((ago) => totpOf(TOTP, Date.now() + ago))
const matching = (pattern: RegExp) => expect.stringMatching(pattern)

const GOOD: ReadonlyArray<Good> = [
  login("single", "email", "password"),
  login("german", "f1", "f2"),
  login("japanese", "a1", "a2"),
  login("russian", "l", "p"),
  login("chinese", "zh", "mm"),
  login("turkish", "k", "s"),
  login("portuguese", "acesso", "senha"),
  { ...login("phone", "uid", "upw"), sent: { uid: USER, upw: PASSWORD, cc: "82" } },
  login("react", "usuario", "clave"),
  login("shadow", "user", "pass"),
  login("honeypot", "u83", "p83"),
  login("slow", "id", "pw"),
  login("floating", "a", "b"),
  { page: "sudo", sent: { sudo_password: PASSWORD } },
  login("tabs", "s_email", "s_pw"),
  login("long", "client", "mdp"),
  login("bank", "x71c", "k9f2"),
  login("dialog", "correo", "clave"),
  login("modal", "identifiant", "mdp", { before: press("#open") }),
  login("spa", "nazwa", "haslo", { before: press("#to") }),
  login("sso", "mail", "word"),
  login("responsive", "vb_user", "vb_pass"),
  login("scroller", "adres", "woord"),
  login("rerender", "login", "pass"),
  login("readonly", "u", "p"),
  login("framed", "email", "password", { site: CHECKOUT }),
  {
    ...login("progressive", "mail", "word"),
    before: async () => {
      expect((await bench.post("/login")).json).toMatchObject({ filled: ["username"], submitted: true })
      await bench.page.waitForSelector("[name=word]")
    }
  },
  {
    page: "two-step",
    before: async () => {
      expect((await bench.post("/login")).json).toMatchObject({ filled: ["username"], submitted: true })
      await bench.page.waitForURL(`**/two-step-password?identifier=${encodeURIComponent(USER)}*`)
    },
    sent: { identifier: USER, Passwd: PASSWORD }
  },
  { page: "two-step-code", sent: { totpPin: isCode } },
  { page: "digits", sent: { code: isCode } },
  {
    page: "card",
    path: "/pay",
    body: () => AMOUNT,
    sent: { cc: "4111 1111 1111 1111", exp: "04/31", code: "123", holder: "Ada Lovelace" }
  },
  {
    page: "card-split",
    path: "/pay",
    body: () => AMOUNT,
    sent: { ...numbered("n1", "n2", "n3", "n4"), m: "04", y: "2031", p: "123", k: "Ada Lovelace" }
  },
  {
    page: "card-parts",
    path: "/pay",
    body: () => AMOUNT,
    sent: { t: "Ada Lovelace", no: NUMBER, mois: "04", annee: "31", crypto: "123" }
  },
  {
    page: "card-trap",
    path: "/pay",
    body: () => AMOUNT,
    sent: { holder: "Ada Lovelace", no: NUMBER, when: "04/2031", sec: "123" }
  },
  {
    page: "card-frame",
    site: CHECKOUT,
    path: "/pay",
    body: () => AMOUNT,
    sent: { number: NUMBER, exp: "04 / 31", cvc: "123" }
  },
  {
    page: "signup",
    site: "https://first.example",
    path: "/signup",
    sent: {
      first: "Ada",
      last: "Lovelace",
      user: "ada",
      mail: "ada@mail.example",
      pw: matching(/^[A-Za-z\d-]{16}$/),
      pw2: matching(/^[A-Za-z\d-]{16}$/)
    }
  },
  {
    page: "signup-big",
    site: "https://second.example",
    path: "/signup",
    sent: {
      customerName: "Ada Lovelace",
      email: "ada@mail.example",
      password: matching(/^.{24}$/),
      passwordCheck: matching(/^.{24}$/)
    }
  },
  {
    page: "signup-rules",
    site: "https://third.example",
    path: "/signup",
    sent: {
      nick: "ada",
      post: "ada@mail.example",
      agb: "on",
      pw: matching(/^[A-Za-z\d]{20}$/),
      pw2: matching(/^[A-Za-z\d]{20}$/)
    }
  },
  {
    page: "secret",
    path: "/secret",
    body: () => ({ entry_id: secret, field: "API key" }),
    sent: { name: "x", api_key: KEY }
  },
  {
    page: "secret-modal",
    path: "/secret",
    body: () => ({ entry_id: secret, field: "Access token" }),
    sent: { tok: KEY }
  }
]

const right: Array<string> = []

describe("a page is filled right", () => {
  it.each(GOOD)("$page", async ({ page, site = SHOP, path = "/login", body, before, sent: expected }) => {
    await bench.open(`${site}/${page}`)
    await before?.()
    const answer = await bench.post(path, body?.() ?? {})
    expect(told(answer)).toBe("200 done")
    expect(answer.json).toMatchObject({ site })
    // Secrets are put in by nobody else, and forms for them are sent by the agent.
    if (path === "/secret") await bench.page.click("button")
    const got = Object.entries(await sent()).filter(([, value]) => value !== "")
    expect(Object.fromEntries(got)).toEqual(expected)
    right.push(page)
  })
})

interface Hostile {
  readonly why: string
  readonly page: string
  readonly site?: string
  readonly path?: string
  readonly body?: () => object
  readonly told: string
}

const HOSTILE: ReadonlyArray<Hostile> = [
  {
    why: "another website whose name begins alike",
    page: "single",
    site: "https://shop-login.example",
    told: "404 entry_unknown"
  },
  { why: "a name in other letters", page: "single", site: "https://xn--shp-nna.example", told: "404 entry_unknown" },
  {
    why: "a name that only this network knows",
    page: "single",
    site: "https://shop.internal",
    told: "403 page_host_refused"
  },
  { why: "a sandbox below the right address", page: "sandboxed/single", told: "403 page_not_https" },
  { why: "a form sent in the clear", page: "insecure", told: "403 page_not_https" },
  { why: "a form that is sent to another website", page: "planted", told: "403 origin_mismatch" },
  { why: "a form in a frame of another website", page: "framed", told: "403 frame_refused" },
  {
    why: "a checkout in a frame of another website",
    page: "card-frame",
    path: "/pay",
    body: () => AMOUNT,
    told: "403 frame_refused"
  },
  { why: "a form in a frame that nobody sees", page: "frame-unseen", site: CHECKOUT, told: "404 form_not_found" },
  { why: "a form under something transparent", page: "overlay", told: "404 form_not_found" },
  { why: "fields that nobody sees", page: "unseen", told: "404 form_not_found" },
  { why: "a field that is covered once it has the focus", page: "covers", told: "404 field_not_found" },
  { why: "a field that goes away", page: "removes", told: "404 field_not_found" },
  { why: "a page that goes elsewhere meanwhile", page: "navigates", told: "403 origin_mismatch" },
  {
    why: "a total that is not the amount",
    page: "card",
    path: "/pay",
    body: () => ({ ...AMOUNT, amount: "40.00" }),
    told: "403 amount_mismatch"
  },
  {
    why: "a total that rises with the typing",
    page: "card-rises",
    path: "/pay",
    body: () => AMOUNT,
    told: "403 amount_mismatch"
  },
  {
    why: "a shop that the card is not for",
    page: "card",
    site: "https://other.example",
    path: "/pay",
    body: () => ({ ...AMOUNT, entry_id: card }),
    told: "403 origin_not_allowed"
  },
  {
    why: "a website that the secret is not for",
    page: "secret",
    path: "/secret",
    body: () => ({ entry_id: elsewhere, field: "API key" }),
    told: "403 origin_mismatch"
  },
  { why: "a newsletter that asks for an address", page: "blank", told: "404 form_not_found" }
]

const refused: Array<string> = []

describe("a page is refused", () => {
  it.each(HOSTILE)("$why", async ({ why, page, site = SHOP, path = "/login", body, told: expected }) => {
    await bench.open(`${site}/${page}`)
    expect(told(await bench.post(path, body?.() ?? {}))).toBe(expected)
    expect(bench.websites.sent).toEqual([])
    refused.push(why)
  })
})

it("so many of so many", () => {
  console.info(`pages: ${right.length} of ${GOOD.length} filled right, ${refused.length} of ${HOSTILE.length} refused`)
  expect(GOOD.length).toBeGreaterThanOrEqual(30)
  expect(right.length / GOOD.length).toBeGreaterThanOrEqual(28 / 30)
  expect(refused.length).toBe(HOSTILE.length)
})
