/** Pages that put new fields in the place of those that are typed into, and fills that break off half way. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { type FillBench, openBench, told } from "../support/fill.ts"
import { LIMITS_OF_CARD } from "../support/vault.ts"

const SHOP = "https://shop.example"
const USER = "ada@shop.example"
const PASSWORD = "Correct-Horse 7"
const CARD = { number: "4111111111111111", exp_month: "04", exp_year: "2031", cvc: "123" }
const LIMITS = { ...LIMITS_OF_CARD, per_day: "1000", fills_per_day: 20 }
const AMOUNT = { amount: "42.50", currency: "EUR", submit: true }

let bench: FillBench
beforeAll(async () => {
  bench = await openBench(["*.example"])
  await bench.write({ fields: { username: USER, password: PASSWORD } })
  await bench.write({ kind: "card", origins: [SHOP], limits: LIMITS, fields: { ...CARD, limits: LIMITS } })
})
afterAll(() => bench?.stop())
beforeEach(() => {
  bench.websites.sent.length = 0
})

const show = async (html: string, script: string): Promise<void> => {
  await bench.open(`${SHOP}/blank`)
  await bench.page.locator("body").evaluate((body, inner) => Object.assign(body, { innerHTML: inner }), html)
  await bench.page.addScriptTag({ content: script })
}
const form = (inner: string): string =>
  `<form action="/submitted" method="post">${inner}<button>Sign in</button></form>`
const LABELED = `<label>Email <input name="mail" type="email"></label><label>Password <input name="word" type="password"></label>`
const BY_ID = `<input id="mail" placeholder="Email"><input id="word" type="password">`
const BARE = `<p>Email</p><input><p>Password</p><input type="password">`
const CARD_FIELDS = `
<p>Total 42.50 EUR</p>
<fieldset>Card number <input class="part" maxlength="4" aria-label="Card number"><input class="part" maxlength="4"><input class="part" maxlength="4"><input class="part" maxlength="4"></fieldset>
<label>Expiry date <input name="exp" placeholder="MM/YY"></label><label>CVC <input name="cvc" maxlength="4"></label>`

/** The field alone, as it is typed into or a moment later; its form; all of the page. */
const again = (what: string): string => `
const copyOf = (one) => {
  const copy = one.cloneNode(true)
  const fields = (node) => [node, ...node.querySelectorAll("input")].filter((field) => field.matches("input"))
  fields(copy).forEach((field, at) => { field.value = fields(one)[at].value })
  return copy
}
const redraw = (one) => one.isConnected && one.replaceWith(copyOf(one))
document.addEventListener("input", ({ target }) => { ${what} })`
const WAYS = [
  ["the field, at once", "redraw(target)"],
  ["the field, a moment later", "setTimeout(() => redraw(target))"],
  ["the field, with the next picture", "requestAnimationFrame(() => redraw(target))"],
  ["the form", `redraw(document.querySelector("form"))`],
  ["the form, a moment later", `setTimeout(() => redraw(document.querySelector("form")))`]
] as const

/** Names are set as the form is sent, by the order of its fields. */
const NAMING = `document.addEventListener("submit", ({ target }) => target.querySelectorAll("input").forEach((field, at) => { field.name = "f" + at }))`

describe.each(WAYS)("a page that lays out anew %s", (_what, script) => {
  it.each([
    ["named", LABELED],
    ["told by their ids", BY_ID],
    ["told by their place alone", BARE]
  ])("gets all of a login: fields %s", async (_how, fields) => {
    await show(form(fields), `${again(script)};${NAMING}`)
    expect((await bench.post("/login")).json).toMatchObject({ status: "done", submitted: true })
    expect(await waitFor(() => bench.lastSent())).toEqual({ f0: USER, f1: PASSWORD })
  })

  it("gets all of a card, its number in four parts", async () => {
    await show(form(CARD_FIELDS).replace("Sign in", "Pay 42.50 EUR"), `${again(script)};${NAMING}`)
    expect((await bench.post("/pay", AMOUNT)).json).toMatchObject({ status: "done", submitted: true })
    const sent = Object.values((await waitFor(() => bench.lastSent())) ?? {})
    expect(sent).toEqual(["4111", "1111", "1111", "1111", expect.stringMatching(/^04\D*31$/), "123"])
  })
})

it("a page that lays out its form anew instead of sending it has not taken it", async () => {
  const stopped = `addEventListener("submit", (event) => { event.preventDefault(); redraw(event.target) })`
  await show(form(LABELED), `${again("")};${stopped}`)
  expect((await bench.post("/login")).json).toMatchObject({ submitted: false, reason: "nothing_sent" })
})

const values = (): Promise<ReadonlyArray<string>> =>
  bench.page
    .locator("input, select")
    .evaluateAll((fields) => fields.map((field) => (field as unknown as { value: string }).value))

describe("what breaks off leaves nothing in the fields", () => {
  const broken = (selector: string, what: string): string =>
    `document.querySelector("${selector}").oninput = ({ target }) => { ${what} }`
  it.each([
    ["a field that keeps one letter", LABELED, broken("[name=word]", "target.value = target.value.slice(0, 1)")],
    ["a field that goes away with the first letter", LABELED, broken("[name=word]", "target.remove()")],
    [
      "a field in whose place come two",
      LABELED,
      broken(
        "[name=word]",
        "const two = target.cloneNode(); two.value = target.value; target.replaceWith(two, two.cloneNode())"
      )
    ],
    [
      "a field that comes back in a form of another website",
      LABELED,
      broken(
        "[name=word]",
        `target.form.insertAdjacentHTML("afterend", '<form action="https://thief.example/"><input name="word" type="password"></form>'); target.remove()`
      )
    ],
    [
      "a field that is laid out anew, hidden",
      LABELED,
      broken(
        "[name=word]",
        "const copy = target.cloneNode(); copy.value = target.value; copy.hidden = true; target.replaceWith(copy)"
      )
    ]
  ])("%s", async (_what, fields, script) => {
    await show(form(fields), script)
    expect(told(await bench.post("/login"))).toBe("404 field_not_found")
    expect((await values()).join("")).toBe("")
    expect(bench.websites.sent).toEqual([])
  })

  it("a list is as it was, and so is what somebody else had typed", async () => {
    const lists = `<select aria-label="Expiry month"><option value="">Month</option>${[...Array(12).keys()].map((at) => `<option>${at + 1}</option>`).join("")}</select><label>Expiry year <input name="year"></label>`
    const fields = `<p>Total 42.50 EUR</p><label>Card number <input name="number" value="5555"></label>${lists}<label>CVC <input name="cvc"></label>`
    await show(form(fields), broken("[name=cvc]", "target.value = target.value.slice(0, 1)"))
    expect(told(await bench.post("/pay", AMOUNT))).toBe("404 field_not_found")
    expect(await values()).toEqual(["5555", "", "", ""])
  })
})
