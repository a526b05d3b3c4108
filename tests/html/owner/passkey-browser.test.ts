/** Passkeys in a real browser, whose authenticator is a virtual one; a passkey needs a name, so the service has one here. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { violations } from "../accessible.ts"
import { openBrowser, type TestBrowser, type Visit } from "../../support/browser.ts"
import { testService, type TestService } from "../../support/service.ts"
import { OwnerClient } from "./client.ts"

const NARROW = { width: 360, height: 740 }

let service: TestService
let browser: TestBrowser
/** By its name. */
let site = ""
beforeAll(async () => {
  service = await testService({ hostname: "localhost" })
  site = `http://localhost:${new URL(service.edges[0] ?? "").port}`
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

/** A phone or computer that knows its owner and says so at once. */
const authenticatorOf = async ({ page }: Visit) => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("WebAuthn.enable")
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true
    }
  })
  return {
    credentials: async () => (await devtools.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
    knowsOwner: (isUserVerified: boolean) =>
      devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified })
  }
}

const looksWell = async ({ page }: Visit): Promise<void> => {
  // Playwright's own way in: the page's policy lets no other script run.
  expect(await violations({ page })).toEqual([])
}

const heading = async ({ page }: Visit, name: string): Promise<void> =>
  page.getByRole("heading", { level: 1, name }).waitFor()

const press = ({ page }: Visit, name: string) => page.getByRole("button", { name, exact: true }).click()

const signedUp = async (): Promise<OwnerClient> => {
  const ada = new OwnerClient(() => service.edges[0] ?? "")
  expect((await ada.signUp()).status).toBe(303)
  return ada
}

const loggedIn = async (ada: OwnerClient, javaScriptEnabled = true): Promise<Visit> => {
  const visit = await browser.visit(`${site}/owner/login?next=/owner/settings`, { viewport: NARROW, javaScriptEnabled })
  await visit.page.getByLabel("E-mail address").fill(ada.email)
  await visit.page.getByLabel("Password", { exact: true }).fill(ada.password)
  await press(visit, "Log in")
  await heading(visit, "Settings")
  return visit
}

const offer = async (visit: Visit, password: string): Promise<void> => {
  await visit.page.locator("#offer_passkey-password").fill(password)
  await press(visit, "Add a passkey")
  await heading(visit, "Add a passkey")
}

it("one is made, lets in without an address, and is removed", async () => {
  const ada = await signedUp()
  const visit = await loggedIn(ada)
  const { page } = visit
  const authenticator = await authenticatorOf(visit)
  expect(await page.getByLabel("Name of the passkey").inputValue()).toBe("Chrome on Linux")
  await page.getByLabel("Name of the passkey").fill("Ada's phone")
  await offer(visit, ada.password)
  await looksWell(visit)
  await press(visit, "Make the passkey")
  await page.getByText("Your passkey lets you in from now on.").waitFor()
  await looksWell(visit)
  expect(await authenticator.credentials()).toMatchObject([{ isResidentCredential: true, rpId: "localhost" }])

  // The same device makes no second one.
  await offer(visit, ada.password)
  await press(visit, "Make the passkey")
  await page.getByText("This device has a passkey of your account already.").waitFor()
  await page.getByRole("link", { name: "Back to the settings" }).click()
  await press(visit, "Log out")
  await heading(visit, "Log in")

  await press(visit, "Log in with a passkey")
  await heading(visit, "Log in with a passkey")
  await looksWell(visit)
  await authenticator.knowsOwner(false)
  await press(visit, "Use a passkey")
  await page.getByText("Your browser gave no passkey.").waitFor()
  await authenticator.knowsOwner(true)
  await press(visit, "Use a passkey")
  await heading(visit, "Your agents")
  expect(visit.complaints).toEqual([])

  await page.getByRole("link", { name: "Settings" }).click()
  const row = page.getByRole("listitem").filter({ hasText: "Ada's phone" })
  expect(await row.textContent()).toContain("last used")
  await row.locator("summary").click()
  await row.getByLabel("Password").fill(ada.password)
  await row.getByRole("button", { name: "Remove" }).click()
  await page.getByText("That passkey lets nobody in any more.").waitFor()
  await press(visit, "Log out")
  await press(visit, "Log in with a passkey")
  await press(visit, "Use a passkey")
  await page.getByText("The passkey was not accepted").waitFor()
  await looksWell(visit)
  expect(await page.context().cookies()).not.toContainEqual(expect.objectContaining({ name: "hub_owner" }))
  await visit.close()
})

it("without scripts the pages say what they need, and show no button that does nothing", async () => {
  const visit = await loggedIn(await signedUp(), false)
  await visit.to(`${site}/owner/settings`)
  await press(visit, "Log out")
  await press(visit, "Log in with a passkey")
  await heading(visit, "Log in with a passkey")
  expect(await visit.page.locator("noscript p").innerText()).toContain("This needs a script of this page")
  expect(await visit.page.getByRole("button", { name: "Use a passkey" }).isVisible()).toBe(false)
  await visit.close()
})

it("no other script runs on the page with one", async () => {
  const visit = await browser.visit(`${site}/owner/login/passkey`, { viewport: NARROW })
  const ran = await visit.page.evaluate(`new Promise((resolve) => {
    addEventListener("securitypolicyviolation", ({ effectiveDirective }) => resolve(effectiveDirective))
    const script = document.createElement("script")
    script.textContent = "document.title = 'run'"
    document.body.append(script)
  })`)
  expect([ran, await visit.page.title()]).toEqual(["script-src-elem", expect.stringContaining("Log in with a passkey")])
  await visit.close()
})
