/** Cards, secrets and sign-ups, over a real browser and a real service (spec 4.12; contract 17). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { VaultEntry } from "../../schemas/vault/records.ts"
import { waitFor } from "../harness/index.ts"
import { type FillBench, openBench, told } from "../support/fill.ts"
import { dataOf } from "../support/outcome.ts"
import { LIMITS_OF_CARD, VAULT } from "../support/vault.ts"

const SHOP = "https://shop.example"
const CARD = { number: "4111111111111111", exp_month: "04", exp_year: "2031", cvc: "123", name: "Ada Lovelace" }
const AMOUNT = { amount: "42.50", currency: "EUR" }
const LIMITS = { ...LIMITS_OF_CARD, per_day: "1000", fills_per_day: 20 }

let bench: FillBench
let card: number
beforeAll(async () => {
  bench = await openBench(["*.example"])
  card = (await bench.write({ kind: "card", origins: [SHOP], limits: LIMITS, fields: { ...CARD, limits: LIMITS } })).id
})
afterAll(() => bench?.stop())
beforeEach(() => {
  bench.websites.sent.length = 0
})

const open = (page: string, site = SHOP) => bench.open(`${site}/${page}`)
const sent = () => waitFor(() => bench.lastSent(), { describe: "the page has sent it" })
const entryOf = async (id: number): Promise<VaultEntry> =>
  dataOf(await bench.of.client.call("GET", `${VAULT}/entries/${id}`))

describe("a card", () => {
  it("goes into the form, which the agent sends itself", async () => {
    await open("card")
    const answer = await bench.post("/pay", AMOUNT)
    expect(answer.json).toEqual({
      status: "done",
      site: SHOP,
      entry_id: card,
      filled: ["number", "expiry", "cvc", "name"],
      submitted: false
    })
    expect(bench.websites.sent).toEqual([])
    await bench.page.click("text=Place order")
    expect(await sent()).toEqual({ cc: "4111 1111 1111 1111", exp: "04/31", code: "123", holder: "Ada Lovelace" })
  })

  it("split in four, with lists for its dates, is sent where the agent says so", async () => {
    await open("card-split")
    expect((await bench.post("/pay", { ...AMOUNT, submit: true })).json).toMatchObject({
      status: "done",
      submitted: true
    })
    const number = { n1: "4111", n2: "1111", n3: "1111", n4: "1111" }
    expect(await sent()).toEqual({ ...number, m: "04", y: "2031", p: "123", k: "Ada Lovelace" })
  })

  it("for another amount than the page tells is refused", async () => {
    for (const page of ["card", "card-split"]) {
      await open(page)
      expect(told(await bench.post("/pay", { ...AMOUNT, amount: "40.00" }))).toBe("403 amount_mismatch")
      expect(told(await bench.post("/pay", { ...AMOUNT, currency: "USD" }))).toBe("403 currency_mismatch")
    }
  })

  it("whose sealed limits are below those that the service keeps is refused", async () => {
    const origins = ["https://other.example"]
    const sealed = { ...LIMITS, per_payment: "45" }
    const { id } = await bench.write({ kind: "card", origins, limits: LIMITS, fields: { ...CARD, limits: sealed } })
    await open("card", "https://other.example")
    expect(told(await bench.post("/pay", { ...AMOUNT, entry_id: id }))).toBe("403 limits_exceed_sealed")
    expect(told(await bench.post("/pay", { ...AMOUNT, entry_id: card }))).toBe("403 origin_not_allowed")
  })

  it.each([
    [{ currency: "EUR" }, "amount"],
    [{ amount: "1.001", currency: "EUR" }, "amount"],
    [{ amount: 1, currency: "euro" }, "currency"]
  ])("asked for by %j names the field", async (body, field) => {
    expect((await bench.post("/pay", body)).json).toMatchObject({ code: "validation_error", field })
  })
})

describe("a secret", () => {
  it("goes into the field that is named, by name, id or label", async () => {
    const { id } = await bench.write({ kind: "secret", origins: [SHOP], fields: { value: "k".repeat(80) } })
    for (const field of ["api_key", "hook", "API key"]) {
      await open("secret")
      expect((await bench.post("/secret", { entry_id: id, field })).json).toMatchObject({ filled: [field] })
      const n = field === "hook" ? 2 : 1
      expect(await bench.page.locator("input").nth(n).inputValue()).toBe("k".repeat(80))
    }
    expect(told(await bench.post("/secret", { entry_id: id, field: "none" }))).toBe("404 field_not_found")
    expect((await bench.post("/secret", { entry_id: id })).json).toMatchObject({ field: "field" })
  })
})

describe("a sign-up", () => {
  it("has its entry before it is typed, and leaves what it does not know", async () => {
    await open("signup")
    const answer = await bench.post("/signup", { username: "ada", label: "New" })
    const id = answer.json["entry_id"] as number
    expect(answer.json).toMatchObject({ status: "done", submitted: true, filled: ["username", "password"] })
    expect(answer.json["left_empty"]).toEqual(["given_name", "family_name", "email"])
    const { pw = "", ...form } = await sent()
    expect(form).toEqual({ first: "", last: "", user: "ada", mail: "", pw2: pw })
    expect([pw.length, /^[\w-]+$/.test(pw), /[a-z]/.test(pw), /[A-Z]/.test(pw), /\d/.test(pw)]).toEqual([
      16,
      true,
      true,
      true,
      true
    ])
    expect(answer.text).not.toContain(pw)
    expect(await entryOf(id)).toMatchObject({ label: "New", source: "fill_service", unconfirmed: false, uses: 1 })
    await open("single")
    expect(told(await bench.post("/login"))).toBe("200 done")
    expect(await waitFor(() => bench.websites.sent[1]?.fields)).toMatchObject({ email: "ada", password: pw })
  })

  it("takes e-mail and names of the profile; one that the page does not take stays unconfirmed", async () => {
    const fields = { email: "ada@mail.example", given_name: "Ada", family_name: "Lovelace" }
    await bench.write({ kind: "profile", fields })
    await open("signup", "https://second.example")
    expect((await bench.post("/signup")).json).toMatchObject({
      filled: ["given_name", "family_name", "email", "password"],
      left_empty: ["username"]
    })
    expect(await sent()).toMatchObject({ first: "Ada", last: "Lovelace", user: "", mail: "ada@mail.example" })
    await open("signup-refused", "https://third.example")
    const answer = await bench.post("/signup")
    expect(answer.json).toMatchObject({ status: "done", submitted: false, reason: "nothing_sent" })
    expect(await entryOf(answer.json["entry_id"] as number)).toMatchObject({ unconfirmed: true })
  })

  it("where nobody can sign up is refused, and nothing is stored", async () => {
    const before = dataOf<{ readonly entries: number }>(await bench.of.client.call("GET", VAULT)).entries
    await open("single")
    expect(told(await bench.post("/signup"))).toBe("404 form_not_found")
    expect(dataOf<{ readonly entries: number }>(await bench.of.client.call("GET", VAULT)).entries).toBe(before)
  })
})
