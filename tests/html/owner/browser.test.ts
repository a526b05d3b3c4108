/** The owner's space in a real browser, on a narrow screen: each page is looked at by axe-core, and then gone through. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { looksWell } from "../accessible.ts"
import { openBrowser, type TestBrowser, type Visit } from "../../support/browser.ts"
import { sharedService, type TestService } from "../../support/service.ts"
import { OwnerClient } from "./client.ts"

const NARROW = { width: 360, height: 740 }

let service: TestService
let browser: TestBrowser
let edge = ""
beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

const heading = async ({ page }: Visit, name: string): Promise<void> =>
  page.getByRole("heading", { level: 1, name }).waitFor()

const status = ({ page }: Visit): Promise<string | null> => page.getByRole("status").textContent()

it.each(["light", "dark"] as const)("an account's way, in %s colours", async (colorScheme) => {
  const ada = new OwnerClient(() => edge)
  const visit = await browser.visit(`${edge}/agents`, { viewport: NARROW, colorScheme, bypassCSP: true })
  const { page } = visit
  const type = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click()

  // The edge that answers is the one that was asked, whatever address pages are known by.
  await visit.to(`${edge}/owner`)
  await heading(visit, "Log in")
  await looksWell(visit)
  await page.getByRole("link", { name: "Make one" }).click()
  await heading(visit, "Make an account")
  await type("Name", ada.name)
  await type("E-mail address", ada.email)
  await type("Password", "too short")
  await press("Make the account")
  await page.getByText("The password must be 10 to 200 characters.").waitFor()
  await looksWell(visit)
  const password = page.getByLabel("Password", { exact: true })
  expect(await password.getAttribute("aria-describedby")).toBe("signup-password-hint signup-password-problem")
  expect(await password.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true)
  expect([await page.getByLabel("Name").inputValue(), await password.inputValue()]).toEqual([ada.name, ""])
  await password.fill(ada.password)
  await press("Make the account")
  await heading(visit, "Your agents")
  expect(await status(visit)).toContain("Your account is there.")
  await looksWell(visit)

  await page.getByRole("link", { name: "Settings" }).click()
  await heading(visit, "Settings")
  await looksWell(visit)
  expect(await page.getByText("Chrome on Linux").isVisible()).toBe(true)
  await type("Name", "Ada Lovelace")
  await press("Change the name")
  await page.getByText("Your name is changed.").waitFor()
  expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("Ada Lovelace")

  const changed = "quite another one 12"
  await type("Present password", "not the right one")
  await type("New password", changed)
  await press("Change the password")
  await page.getByText("This is not your password.").waitFor()
  await looksWell(visit)
  await type("Present password", ada.password)
  await type("New password", changed)
  await press("Change the password")
  await heading(visit, "Log in")
  expect(await status(visit)).toContain("Your new password holds")
  await type("E-mail address", ada.email)
  await type("Password", changed)
  await press("Log in")
  await heading(visit, "Your agents")
  await press("Log out")
  await heading(visit, "Log in")
  expect(await status(visit)).toBe("You have logged out.")

  await page.getByRole("link", { name: "Forgotten the password?" }).click()
  await heading(visit, "Forgotten password")
  await looksWell(visit)
  await type("E-mail address", ada.email)
  await press("Send me the letter")
  await page.getByRole("status").waitFor()
  expect(await status(visit)).toContain("If there is an account with this address")
  await looksWell(visit)

  await visit.to(`${edge}/owner/settings`)
  await type("E-mail address", ada.email)
  await type("Password", changed)
  await press("Log in")
  await heading(visit, "Settings")
  await page.locator("#offer_two_step-password").fill(changed)
  await press("Set it up")
  await page.getByRole("img", { name: "The code for your authenticator app" }).waitFor()
  await looksWell(visit)
  await page.locator("#delete-password").fill(changed)
  await type("Your e-mail address", ada.email)
  await press("Delete my account")
  await heading(visit, "Log in")
  expect(await status(visit)).toContain("Your account is deleted")
  await visit.close()
})

it("no policy stands in the way of its own forms, and its links tell no address", async () => {
  const ada = new OwnerClient(() => edge)
  await ada.signUp()
  const visit = await browser.visit(`${edge}/owner/login`, { viewport: NARROW })
  const { page } = visit
  await page.getByLabel("E-mail address").fill(ada.email)
  await page.getByLabel("Password").fill(ada.password)
  await page.getByRole("button", { name: "Log in", exact: true }).click()
  await heading(visit, "Your agents")
  expect(visit.complaints).toEqual([])
  const token = `${"a".repeat(16)}${"b".repeat(43)}`
  await visit.to(`${edge}/owner/verify?token=${token}`)
  const sent = page.waitForRequest((request) => request.method() === "POST")
  await page.getByRole("button", { name: "Confirm my address" }).click()
  const { referer, origin } = await (await sent).allHeaders()
  expect([referer, origin]).toEqual([`${edge}/`, edge])
  await heading(visit, "This link holds no longer")
  expect(await page.evaluate("document.cookie")).toBe("")
  await visit.close()
})

it("each mirrored page leads here", async () => {
  const visit = await browser.visit(`${edge}/agents`, { viewport: NARROW })
  expect(await visit.page.getByRole("link", { name: "sign in" }).getAttribute("href")).toMatch(/\/owner\/login$/)
  await visit.close()
})
