/** `submitted` says what the page was seen to do, and `reason` why nothing was sent (contract 22). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { VaultEntry as Entry } from "../../schemas/vault/records.ts"
import { type FillBench, openBench, told } from "../support/fill.ts"
import { dataOf } from "../support/outcome.ts"

const SHOP = "https://shop.example"
const FIELDS = `<label>Email <input name="mail" type="email"></label><label>Password <input name="word" type="password"></label>`

let bench: FillBench
beforeAll(async () => {
  bench = await openBench(["*.example"])
  await bench.write({ fields: { username: "ada@shop.example", password: "Correct-Horse 7" } })
})
afterAll(() => bench?.stop())
beforeEach(() => {
  bench.websites.sent.length = 0
})

const show = async (html: string, script = ""): Promise<void> => {
  await bench.open(`${SHOP}/blank`)
  await bench.page.locator("body").evaluate((body, inner) => Object.assign(body, { innerHTML: inner }), html)
  if (script !== "") await bench.page.addScriptTag({ content: script })
}
const form = (inner: string): string => `<form action="/submitted" method="post">${FIELDS}${inner}</form>`
const BUTTON = `<button>Sign in</button>`
const REQUIRED = `<select required aria-label="Country"><option value="">Choose</option><option>DE</option></select>`
const SLOTTED = `
customElements.define("a-button", class extends HTMLElement {
  constructor() {
    super()
    this.attachShadow({ mode: "open" }).innerHTML = "<button type=button><slot></slot></button>"
  }
})`

describe("nothing was sent", () => {
  it.each([
    ["a disabled button", form(`<button disabled>Sign in</button>`), "button_disabled"],
    ["a disabled button outside of forms", `${FIELDS}<button disabled>Sign in</button>`, "button_disabled"],
    ["a required list", form(`${REQUIRED}${BUTTON}`), "form_invalid"],
    ["a required box", form(`<input type="checkbox" required>${BUTTON}`), "form_invalid"],
    ["an element that is no button", `${FIELDS}<div onclick="window.pressed = true">Sign in</div>`, "nothing_sent"],
    ["a button that does nothing", `${FIELDS}<button>Sign in</button>`, "nothing_sent"],
    ["a form that its script stops", form(BUTTON).replace("<form", `<form onsubmit="return false"`), "nothing_sent"],
    ["a button labeled through a slot, that does nothing", form(`<a-button>Sign in</a-button>`), "nothing_sent"],
    [
      "an error message beside the form",
      form(`<p></p>${BUTTON}`).replace(
        "<form",
        `<form onsubmit="this.querySelector('p').textContent = 'Wrong password.'; return false"`
      ),
      "nothing_sent"
    ]
  ])("where the page has %s", async (_, html, reason) => {
    await show(html, SLOTTED)
    const { json } = await bench.post("/login")
    expect(json).toMatchObject({ status: "done", submitted: false, reason })
    expect(bench.websites.sent).toEqual([])
  })
})

describe("it was sent", () => {
  const stop = (script: string): string =>
    `document.querySelector("form").onsubmit = (event) => { event.preventDefault(); ${script} }`
  it.each([
    ["a page that navigates", form(BUTTON), ""],
    ["a page that sends a request", form(BUTTON), stop(`fetch("/submitted", { method: "POST", body: "a=b" })`)],
    ["a page that replaces the form", form(BUTTON), stop(`document.body.innerHTML = "<p>Welcome</p>"`)],
    ["a page that hides the form", form(BUTTON), stop(`event.target.style.display = "none"`)],
    [
      "a button labeled through a slot",
      form(`<a-button onclick="this.closest('form').requestSubmit()">Sign in</a-button>`),
      SLOTTED
    ]
  ])("by %s", async (_, html, script) => {
    await show(html, script)
    const { json } = await bench.post("/login")
    expect(json).toMatchObject({ status: "done", submitted: true })
    expect(json).not.toHaveProperty("reason")
  })
})

describe("an account that was made", () => {
  const entryOf = async (id: unknown) =>
    dataOf<Entry>(await bench.of.client.call("GET", `/api/v1/vault/entries/${String(id)}`))
  const SIGNUP = `<label>Email <input name="mail" type="email" required></label>
<label>New password <input name="word" type="password" autocomplete="new-password"></label>
<label>City <input name="city"></label><label>Tax number <input name="tax" required></label>
<label><input type="checkbox" name="terms" required> I accept the terms</label><button>Sign up</button>`
  const ADA = { username: "ada@shop.example" }

  it("is unconfirmed while the agent sends it itself, until a login with it is taken", async () => {
    await show(`<form action="/submitted" method="post">${SIGNUP}</form>`)
    const made = await bench.post("/signup", { ...ADA, submit: false })
    const { entry_id } = made.json
    expect(made.json).toMatchObject({
      status: "done",
      submitted: false,
      filled: ["email", "password"],
      left_empty: ["Tax number", "City"]
    })
    expect(await entryOf(entry_id)).toMatchObject({ unconfirmed: true, uses: 1 })

    const refusing = `document.querySelector("form").onsubmit = (event) => {
      event.preventDefault()
      void fetch("/submitted", { method: "POST", body: "a=b" })
    }`
    await show(form(BUTTON), refusing)
    expect((await bench.post("/login", { entry_id })).json).toMatchObject({ status: "done", submitted: true })
    expect(await entryOf(entry_id)).toMatchObject({ unconfirmed: true })

    await show(form(BUTTON))
    expect((await bench.post("/login", { entry_id })).json).toMatchObject({ status: "done", submitted: true })
    expect(await entryOf(entry_id)).toMatchObject({ unconfirmed: false })
  })

  it("is taken by a page that keeps its form and empties it", async () => {
    const kept = SIGNUP.replace(/<label>Tax.*\n/, "").replaceAll("required", "")
    await show(
      `<form action="/submitted" method="post">${kept}</form>`,
      `document.querySelector("form").onsubmit = (event) => {
        event.preventDefault()
        void fetch("/submitted", { method: "POST", body: "a=b" }).then(() => event.target.reset())
      }`
    )
    const made = await bench.post("/signup", ADA)
    expect(made.json).toMatchObject({ status: "done", submitted: true })
    expect(await entryOf(made.json["entry_id"])).toMatchObject({ unconfirmed: false })
  })

  it("is none where the page sent it and still asks for it", async () => {
    await show(
      `<form action="/submitted" method="post">${SIGNUP.replaceAll("required", "")}</form>`,
      `document.querySelector("form").onsubmit = (event) => {
        event.preventDefault()
        void fetch("/submitted", { method: "POST", body: "a=b" }).then(() => (event.target.word.value = ""))
      }`
    )
    const refused = await bench.post("/signup", ADA)
    expect(told(refused)).toBe("409 signup_not_accepted")
    expect(await entryOf(refused.json["entry_id"])).toMatchObject({ unconfirmed: true, uses: 0 })
  })

  it("is none where the page did not send it", async () => {
    await show(`<form action="/submitted" method="post">${SIGNUP}</form>`)
    const made = await bench.post("/signup", ADA)
    expect(made.json).toMatchObject({ status: "done", submitted: false, reason: "form_invalid" })
    expect(await entryOf(made.json["entry_id"])).toMatchObject({ unconfirmed: true })
  })
})
