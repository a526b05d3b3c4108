/** What is sealed for a vault, and what is refused before it is: without a service, which sees the body alone. */
import { beforeAll, describe, expect, it } from "vitest"
import {
  type CardToSeal,
  createClient,
  type EntryToSeal,
  generateKey,
  isHubError,
  type LoginToSeal,
  sealEntry
} from "../../edge/sdk/client.ts"
import { openEntry } from "../../edge/sdk/vault/seal.ts"
import { isUuid } from "../../schemas/vault/fields.ts"
import { errorOf } from "./support/errors.ts"
import { type VaultKeys, vaultKeys } from "./support/vault-keys.ts"

let keys: VaultKeys
beforeAll(async () => {
  keys = await vaultKeys()
})

const VAULT = "11111111-2222-4333-8444-555555555555"
const vault = () => ({ uid: VAULT, public_key: keys.publicKey })

const SHOP = "https://shop.example"
const LOGIN: LoginToSeal = {
  kind: "login",
  origins: [SHOP],
  label: "Shop",
  username: "ada",
  password: "correct horse battery"
}
const CARD: CardToSeal = {
  kind: "card",
  limits: { currency: "EUR", per_payment: 50, per_day: "80", fills_per_day: 3 },
  number: "4111 1111-1111 1111",
  exp_month: "04",
  exp_year: "2031",
  cvc: "123"
}
const PASSKEY = { credential_id: "AAEC", private_key: "MIGH", rp_id: "shop.example", user_handle: "aGk" }

const opened = (ciphertext: string) => openEntry(ciphertext, { public_key: keys.public, private_key: keys.private })

describe("a sealed entry", () => {
  it("keeps a login's website and label in clear, and nothing else", async () => {
    const { uid, ciphertext, ...clear } = await sealEntry(vault(), { ...LOGIN, totp: "JBSW y3dp-EHPK 3PXP" })
    expect(isUuid(uid)).toBe(true)
    expect(clear).toEqual({ kind: "login", origins: [SHOP], label: "Shop" })
    expect(await opened(ciphertext)).toEqual({
      v: 1,
      vault: VAULT,
      uid,
      kind: "login",
      origins: [SHOP],
      username: "ada",
      password: "correct horse battery",
      totp: "JBSWY3DPEHPK3PXP"
    })
  })

  it("has a card's limits and consent inside and beside, as decimals", async () => {
    const consent = { above: 20, currency: "EUR" }
    const { uid, ciphertext, ...clear } = await sealEntry(vault(), { ...CARD, name: "Ada Lovelace", consent })
    const limits = { currency: "EUR", per_payment: "50.00", per_day: "80.00", fills_per_day: 3 }
    const both = { limits, consent: { above: "20.00", currency: "EUR" } }
    expect(clear).toEqual({ kind: "card", origins: [], ...both })
    expect(await opened(ciphertext)).toEqual({
      v: 1,
      vault: VAULT,
      uid,
      kind: "card",
      origins: [],
      number: "4111111111111111",
      exp_month: "04",
      exp_year: "2031",
      cvc: "123",
      name: "Ada Lovelace",
      ...both
    })
  })

  it("keeps nothing of a profile in clear", async () => {
    const address = { line1: "1 St James's Square", city: "London", country: "GB" }
    const given = { kind: "profile", email: "ada@example.org", given_name: "Ada", address } as const
    const { uid, ciphertext, ...clear } = await sealEntry(vault(), given)
    expect(clear).toEqual({ kind: "profile" })
    expect(await opened(ciphertext)).toEqual({ v: 1, vault: VAULT, uid, origins: [], ...given })
  })

  it("holds a secret of several lines, a passkey and consent", async () => {
    const value = "-----BEGIN-----\nabc\n"
    const one = await sealEntry(vault(), { kind: "secret", origins: [SHOP], value, consent: "owner" })
    expect([one.consent, await opened(one.ciphertext)]).toEqual([
      "owner",
      expect.objectContaining({ value, consent: "owner" })
    ])
    const site = "https://login.shop.example"
    const two = await sealEntry(vault(), { ...LOGIN, origins: [site], passkey: PASSKEY })
    expect(await opened(two.ciphertext)).toMatchObject({ passkey: PASSKEY, origins: [site] })
  })

  it("has a uid of its own and another box each time", async () => {
    const [one, other] = [await sealEntry(vault(), LOGIN), await sealEntry(vault(), LOGIN)]
    expect([one.uid === other.uid, one.ciphertext === other.ciphertext]).toEqual([false, false])
  })
})

const SECRET = "hunter18-and-more"
type Wrong = readonly [string, object, object]

const WRONG: ReadonlyArray<Wrong> = [
  ["kind", {}, { kind: "note" }],
  ["origins", LOGIN, { origins: [] }],
  ["origins", LOGIN, { origins: Array.from({ length: 21 }, (_, n) => `https://shop${n}.example`) }],
  ["origins", LOGIN, { origins: SECRET }],
  ["origins.1", LOGIN, { origins: [SHOP, `${SHOP}/`] }],
  ["origins.0", LOGIN, { origins: ["http://shop.example"] }],
  ["origins.0", LOGIN, { origins: ["https://127.0.0.1"] }],
  ["origins.0", LOGIN, { origins: ["https://bücher.example"] }],
  ["origins.0", LOGIN, { origins: [SECRET] }],
  ["username", LOGIN, { username: undefined }],
  ["password", LOGIN, { password: "" }],
  ["password", LOGIN, { password: `${SECRET}\n` }],
  ["password", LOGIN, { password: `${SECRET}\ud800` }],
  ["password", LOGIN, { password: SECRET.repeat(100) }],
  ["password", LOGIN, { password: { toString: SECRET } }],
  ["email", LOGIN, { email: SECRET }],
  ["totp", LOGIN, { totp: SECRET }],
  ["totp", LOGIN, { totp: "otpauth://hotp/x?secret=JBSWY3DPEHPK3PXP" }],
  ["totp", LOGIN, { totp: "otpauth://totp/x" }],
  ["passkey.rp_id", LOGIN, { passkey: { ...PASSKEY, rp_id: "other.example" } }],
  ["passkey.rp_id", LOGIN, { passkey: { ...PASSKEY, rp_id: "example" } }],
  ["passkey.private_key", LOGIN, { passkey: { ...PASSKEY, private_key: "no base64" } }],
  ["a login", LOGIN, { pasword: SECRET }],
  ["a login", LOGIN, { [SECRET]: 1 }],
  ["consent", LOGIN, { consent: { above: 1, currency: "EUR" } }],
  ["label", LOGIN, { label: `Shop ${LOGIN.password}` }],
  ["label", LOGIN, { label: "x".repeat(101) }],
  ["label", LOGIN, { label: "My card 4111 1111 1111 1111" }],
  ["limits", CARD, { limits: undefined }],
  ["limits", CARD, { limits: { ...CARD.limits, per_week: 1 } }],
  ["limits.currency", CARD, { limits: { ...CARD.limits, currency: "XXX" } }],
  ["limits.per_payment", CARD, { limits: { ...CARD.limits, per_payment: "1.001" } }],
  ["limits.per_day", CARD, { limits: { ...CARD.limits, per_day: -1 } }],
  ["limits.fills_per_day", CARD, { limits: { ...CARD.limits, fills_per_day: 1.5 } }],
  ["number", CARD, { number: "4111 1111 1111 1112" }],
  ["exp_month", CARD, { exp_month: "4" }],
  ["exp_month", CARD, { exp_month: "13" }],
  ["exp_year", CARD, { exp_year: "31" }],
  ["cvc", CARD, { cvc: "12" }],
  ["consent.currency", CARD, { consent: { above: 1, currency: "USD" } }],
  ["consent.above", CARD, { consent: { above: "much", currency: "EUR" } }],
  ["value", { kind: "secret", origins: [SHOP] }, { value: "x".repeat(8001) }],
  ["value", { kind: "secret", origins: [SHOP] }, { value: 7 }],
  ["email", { kind: "profile" }, { email: "ada" }],
  ["address", { kind: "profile", email: "a@b.example" }, { address: [SECRET] }],
  ["address.city", { kind: "profile", email: "a@b.example" }, { address: { city: 1 } }]
]

describe("refused, with its field and without what stood in it, is", () => {
  it.each(WRONG)("%s", async (field, of, changed) => {
    const error = await errorOf(sealEntry(vault(), { ...of, ...changed } as EntryToSeal))
    expect(error).toMatchObject({ code: "invalid_argument", details: { field } })
    const told = isHubError(error) ? `${error.message}${JSON.stringify(error.details)}${error.stack ?? ""}` : ""
    expect(told).toContain(field)
    expect(told).not.toContain(SECRET)
    expect(told).not.toContain("4111 1111")
  })

  it("an entry that is too long when it is sealed", async () => {
    const long = Object.fromEntries(
      ["line1", "line2", "city", "postal_code"].map((name) => [name, "𝒳".repeat(500)] as const)
    )
    const names = Object.fromEntries(["username", "given_name", "family_name"].map((name) => [name, "ü".repeat(1000)]))
    const error = await errorOf(
      sealEntry(vault(), { kind: "profile", email: "a@b.example", address: long, ...names } as EntryToSeal)
    )
    expect(error).toMatchObject({ code: "invalid_argument", details: { field: "profile" } })
  })

  it("what the vault cannot take", async () => {
    const of = { vault: VAULT, public_key: keys.publicKey, kinds: ["card"] } as const
    expect(await errorOf(sealEntry(of, LOGIN))).toMatchObject({ code: "vault_kind_not_allowed" })
    expect((await sealEntry(of, CARD)).kind).toBe("card")
    expect(await errorOf(sealEntry({ ...vault(), public_key: null }, LOGIN))).toMatchObject({
      code: "vault_not_active"
    })
    for (const public_key of ["AAAA", "not base64"])
      expect(await errorOf(sealEntry({ ...vault(), public_key }, LOGIN))).toMatchObject({ code: "answer_malformed" })
  })
})

const TOKEN = `hxs_${"0".repeat(24)}${"A".repeat(43)}`

describe("a source's client", () => {
  const sourceOf = (sent: Array<Request>, kinds: ReadonlyArray<string> = ["login"]) =>
    createClient({
      hub: "https://hub.example",
      sourceToken: TOKEN,
      retry: { pauseMs: 1 },
      fetch: async (input, init) => {
        const request = new Request(input, init)
        sent.push(request.clone())
        if (request.method === "POST" && sent.filter(({ method }) => method === "POST").length === 1)
          return new Response("", { status: 502 })
        const data =
          request.method === "GET"
            ? { vault: VAULT, public_key: keys.publicKey, status: "active", kinds }
            : { id: 1, uid: "u" }
        return Response.json({ ok: true, data })
      }
    })

  it("asks for the vault and writes, with its token alone; what is repeated is the same write", async () => {
    const sent: Array<Request> = []
    expect(await sourceOf(sent).write(LOGIN)).toEqual({ id: 1, uid: "u" })
    expect(sent.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
      "GET /api/v1/vault/source",
      "POST /api/v1/vault/entries",
      "POST /api/v1/vault/entries"
    ])
    for (const { headers } of sent) {
      expect(headers.get("authorization")).toBe(`Bearer ${TOKEN}`)
      expect(headers.get("x-hub-signature")).toBeNull()
    }
    const [, first, second] = sent
    expect(first?.headers.get("idempotency-key")).toMatch(/^\S{36}$/)
    expect(second?.headers.get("idempotency-key")).toBe(first?.headers.get("idempotency-key"))
    const bodies = [await first?.text(), await second?.text()]
    expect(bodies[0]).toBe(bodies[1])
    expect(bodies[0]).not.toContain(LOGIN.password)
  })

  it("writes nothing of a kind that it may not", async () => {
    const sent: Array<Request> = []
    expect(await errorOf(sourceOf(sent, ["card"]).write(LOGIN))).toMatchObject({ code: "vault_kind_not_allowed" })
    expect(sent).toHaveLength(1)
  })

  it("takes no other token, no key beside it, and speaks no http", async () => {
    const make = (options: object) => () => createClient({ hub: "https://hub.example", sourceToken: TOKEN, ...options })
    expect(make({})).not.toThrow()
    for (const sourceToken of ["", "hxs_x", TOKEN.replace("hxs", "hxv"), `${TOKEN}A`, ` ${TOKEN}`])
      expect(make({ sourceToken })).toThrow(/^sourceToken must be/)
    const key = await generateKey()
    expect(make({ key })).toThrow(/^sourceToken goes with no key/)
    expect(make({ hub: "http://hub.example" })).toThrow(/without TLS/)
  })
})
