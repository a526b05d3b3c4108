/** The page that seals, in a real browser: what leaves it is a sealed box. */
import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { send } from "../support/http.ts"
import { VAULT } from "../support/vault.ts"
import {
  browser,
  closeSealing,
  edge,
  entries,
  field,
  fill,
  looksWell,
  NARROW,
  of,
  opening,
  openSealing,
  PASSWORD,
  pathsOf,
  press,
  readBack,
  SHOP,
  sourceFor,
  status,
  watched
} from "./sealing.ts"

beforeAll(openSealing)
afterAll(closeSealing)

it("has one script, known by its hash; is kept by nobody, found by nobody, framed by nobody", async () => {
  const { text, headers } = await send({ edge, method: "GET", path: "/vault/seal", headers: { accept: "text/html" } })
  const scripts = [...text.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = ""]) => script)
  expect([scripts.length, text.match(/<script/gi)?.length]).toEqual([1, 1])
  const hash = createHash("sha256")
    .update(scripts[0] ?? "")
    .digest("base64")
  const policy = String(headers["content-security-policy"])
  const directives = new Map(policy.split("; ").map((one) => [one.split(" ")[0], one.split(" ").slice(1).join(" ")]))
  expect(Object.fromEntries(directives)).toEqual({
    "default-src": "'none'",
    "script-src": `'sha256-${hash}' 'wasm-unsafe-eval'`,
    "connect-src": "'self'",
    "style-src": expect.stringMatching(/^'sha256-[\w+/]{43}='$/),
    "img-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'"
  })
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex",
    "cross-origin-opener-policy": "same-origin"
  })
  expect(text).toContain('<meta name="robots" content="noindex">')
  expect(text).toContain("<noscript>")
  expect(text).not.toMatch(/ on[a-z]+=|javascript:/)
})

describe("a login", () => {
  it("leaves the page sealed, and no other way; the fields are wiped", async () => {
    const { id, token } = await sourceFor("login", "card")
    const visit = await browser.visit(`${edge}/vault/seal`, { viewport: NARROW })
    const sent = await watched(visit)
    await looksWell(visit)
    await visit.page.getByLabel("Token").fill(token)
    // By keyboard.
    await visit.page.keyboard.press("Enter")
    await visit.page.getByText(`You write into the vault of agent ${of.agent.hx_id} (`).waitFor()
    await looksWell(visit)
    expect(await field(visit, "profile", "chosen").isDisabled()).toBe(true)
    await fill(visit, "login", {
      username: "ada-18",
      password: PASSWORD,
      totp: "JBSWY3DPEHPK3PXP",
      origins: "shop.example/login?next=1\n",
      label: "My shop"
    })
    await visit.page.keyboard.press("Enter")
    await status(visit, /^Sealed and sent: it is entry \d+ of the vault\./)
    for (const name of ["username", "password", "totp", "origins", "label"])
      expect([name, await field(visit, "login", name).inputValue()]).toEqual([name, ""])
    await looksWell(visit)

    const [entry] = await entries()
    expect(entry).toMatchObject({ kind: "login", label: "My shop", origins: [SHOP], source: `source:${id}` })
    expect(await readBack(entry?.id ?? 0, "login")).toMatchObject({
      username: "ada-18",
      password: PASSWORD,
      totp: "JBSWY3DPEHPK3PXP"
    })
    // Of typed secrets nothing, in no spelling of a text; the token to the service alone.
    expect(pathsOf(sent)).toEqual(["/api/v1/vault/source", "/api/v1/vault/entries"])
    const all = sent.map(({ text }) => decodeURIComponent(text.replaceAll("%", "%25"))).join("\n")
    expect(all).toContain("hxv1.")
    for (const secret of ["ada-18", PASSWORD, "JBSWY3DPEHPK3PXP"])
      for (const spelled of [secret, Buffer.from(secret).toString("base64").slice(0, -4), encodeURIComponent(secret)])
        expect(all).not.toContain(spelled)
    expect(visit.requests.filter((url) => !url.startsWith(`${edge}/`))).toEqual([])
    expect(visit.complaints).toEqual([])
    await visit.close()
  })

  it("a link with somebody's token shows the agent that it chose and its maker's power; the address forgets it", async () => {
    const { token } = await sourceFor("secret")
    const visit = await browser.visit(`${edge}/vault/seal#${token}`)
    await visit.page.getByText(`You write into the vault of agent ${of.agent.hx_id} (`).waitFor()
    await visit.page
      .getByText("The maker of this link or token chose that agent. Its operator can use the entry")
      .waitFor()
    expect(visit.page.url()).toBe(`${edge}/vault/seal`)
    const kept =
      "[location.href, document.documentElement.outerHTML, document.getElementById('seal-token').value].join()"
    expect(String(await visit.page.evaluate(kept))).not.toContain(token)
    await fill(visit, "secret", { value: PASSWORD, origins: SHOP })
    await field(visit, "secret", "consent").check()
    await press(visit, "Seal and send")
    await status(visit, "Sealed and sent")
    expect((await entries())[0]).toMatchObject({ kind: "secret", consent: "owner" })
    expect(await field(visit, "secret", "consent").isChecked()).toBe(false)
    await fill(visit, "secret", { value: PASSWORD, origins: SHOP })
    await press(visit, "Seal and send")
    const [entry] = await waitFor(async () => {
      const all = await entries()
      return all[0]?.consent === null ? all : null
    })
    expect(await readBack(entry?.id ?? 0, "secret", { field: "pin" })).toMatchObject({ value: PASSWORD })
    await visit.close()
  })
})

describe("a card and a profile", () => {
  it("are sealed with their limits, and their address", async () => {
    const visit = await opening((await sourceFor("card", "profile")).token)
    await fill(visit, "card", {
      number: "4111 1111 1111 1111",
      exp_month: "04",
      exp_year: "2031",
      cvc: "987",
      label: "Visa",
      currency: "EUR",
      per_payment: "50",
      per_day: "100",
      fills_per_day: "5"
    })
    await press(visit, "Seal and send")
    await status(visit, "Sealed and sent")
    const [card] = await entries()
    const limits = { currency: "EUR", per_payment: "50.00", per_day: "100.00", fills_per_day: 5 }
    expect(card).toMatchObject({ kind: "card", limits, origins: [], label: "Visa" })
    const paying = { amount: "5", currency: "EUR" }
    expect(await readBack(card?.id ?? 0, "pay", paying)).toMatchObject({
      number: "4111111111111111",
      cvc: "987",
      limits
    })
    await visit.page.getByLabel("A profile").check()
    await fill(visit, "profile", { email: "ada@example.org", city: "London" })
    await press(visit, "Seal and send")
    await status(visit, "Sealed and sent")
    expect((await entries())[0]).toMatchObject({ kind: "profile", label: null })
    await visit.close()
  })
})

describe("what is wrong is told in its place", () => {
  it.each([
    ["login", { username: "ada", password: PASSWORD, origins: "http://shop.example" }, "origins", /https origin/],
    ["login", { username: "ada", password: PASSWORD, origins: "" }, "origins", /name the websites/],
    ["login", { username: "ada", origins: SHOP }, "password", /not empty/],
    ["login", { username: "ada", password: PASSWORD, origins: SHOP, label: PASSWORD }, "label", /in clear/],
    ["card", { number: "4111 1111 1111 1112" }, "currency", /ISO 4217/],
    ["card", { currency: "EUR", per_payment: "x", fills_per_day: "1" }, "per_payment", /amount of EUR/]
  ])("%s with %j: %s", async (kind, values, wrong, words) => {
    const visit = await opening((await sourceFor("login", "card")).token)
    const sent = await watched(visit)
    await visit.page.locator(`#seal-${kind}-chosen`).check()
    await fill(visit, kind, values as Readonly<Record<string, string>>)
    await press(visit, "Seal and send")
    await visit.page.locator(`#seal-${kind}-${wrong}-problem`).filter({ hasText: words }).waitFor()
    const about = await field(visit, kind, wrong).getAttribute("aria-describedby")
    expect(about).toContain(`seal-${kind}-${wrong}-problem`)
    expect(await visit.page.evaluate("document.activeElement.id")).toBe(`seal-${kind}-${wrong}`)
    expect(await field(visit, kind, wrong).getAttribute("aria-invalid")).toBe("true")
    await looksWell(visit)
    expect(pathsOf(sent)).toEqual([])
    await visit.close()
  })

  it("a token that is none, or has ended, opens nothing", async () => {
    const { id, token } = await sourceFor("login")
    await of.client.call("DELETE", `${VAULT}/sources/${id}`)
    for (const [given, words] of [
      [token, "it has ended"],
      ["hxs_x", "This is no token"],
      [token.replace("hxs_", "hxv_"), "This is no token"]
    ] as const) {
      const visit = await opening(given)
      await visit.page.locator("#seal-token-problem").filter({ hasText: words }).waitFor()
      expect(await visit.page.locator("#seal-form").isVisible()).toBe(false)
      await visit.close()
    }
  })

  it("an answer of the service's that refuses is told in its words, and what was typed stays", async () => {
    const { id, token } = await sourceFor("login")
    const visit = await opening(token)
    await fill(visit, "login", { username: "ada", password: PASSWORD, origins: SHOP })
    await of.client.call("DELETE", `${VAULT}/sources/${id}`)
    await press(visit, "Seal and send")
    await status(visit, "This token is none")
    expect(await field(visit, "login", "password").inputValue()).toBe(PASSWORD)
    await visit.close()
  })
})
