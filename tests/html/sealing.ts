/** The page that seals, as a person uses it: a browser, a vault and the tokens of its sources. */
import { expect } from "vitest"
import { violations } from "./accessible.ts"
import { openEntry } from "../../edge/sdk/vault/seal.ts"
import type { VaultEntry } from "../../schemas/vault/records.ts"
import { openBrowser, type TestBrowser, type Visit } from "../support/browser.ts"
import { dataOf } from "../support/outcome.ts"
import { type TestService, sharedService } from "../support/service.ts"
import { asHolder, issueToken, oneTimeKey, VAULT, type WithVault } from "../support/vault.ts"
import { ownedVault } from "../support/vault-owner.ts"
import { overflow } from "./in-page.ts"

export const NARROW = { width: 360, height: 740 }
export const PASSWORD = "correct horse battery 18"
export const SHOP = "https://shop.example"

let service: TestService
export let browser: TestBrowser
export let edge = ""
export let of: WithVault

export const openSealing = async (): Promise<void> => {
  service = await sharedService({ keeper: true })
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
  of = await ownedVault(service)
}

export const closeSealing = async (): Promise<void> => {
  await browser?.stop()
  await service?.stop()
}

export const sourceFor = async (...kinds: ReadonlyArray<VaultEntry["kind"]>): Promise<{ id: number; token: string }> =>
  dataOf(await of.client.call("POST", `${VAULT}/sources`, { body: { label: "A person", kinds } }))

/** Everything that a page sends, as the browser itself tells it. */
export const watched = async ({ page }: Visit) => {
  const sent: Array<{ readonly url: string; readonly text: string }> = []
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("Network.enable")
  devtools.on("Network.requestWillBeSent", ({ request }) => {
    const { url, method, headers, postData = "" } = request
    sent.push({ url, text: `${method} ${url} ${JSON.stringify(headers)} ${postData}` })
  })
  return sent
}

/** Of what was sent, but for the icon: the browser asks for that once, whenever it likes. */
export const pathsOf = (sent: ReadonlyArray<{ readonly url: string }>): ReadonlyArray<string> =>
  sent.filter(({ url }) => url !== `${edge}/favicon.svg`).map(({ url }) => url.replace(edge, ""))

export const opening = async (token: string, path = "/vault/seal"): Promise<Visit> => {
  const visit = await browser.visit(`${edge}${path}`, { viewport: NARROW })
  await visit.page.getByLabel("Token").fill(token)
  await press(visit, "Go on")
  return visit
}

export const press = ({ page }: Visit, name: string) => page.getByRole("button", { name, exact: true }).click()
export const field = ({ page }: Visit, kind: string, name: string) => page.locator(`#seal-${kind}-${name}`)
export const fill = async (visit: Visit, kind: string, values: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, value] of Object.entries(values)) await field(visit, kind, name).fill(value)
}
export const status = async ({ page }: Visit, words: string | RegExp): Promise<void> =>
  page.getByRole("status").filter({ hasText: words }).waitFor()

export const looksWell = async ({ page }: Visit): Promise<void> => {
  // Playwright's own way in: the page's policy lets no other script run.
  expect(await violations({ page })).toEqual([])
  expect(await page.evaluate(overflow)).toBe(0)
}

export const entries = async (): Promise<ReadonlyArray<VaultEntry>> =>
  dataOf(await of.client.call("GET", `${VAULT}/entries`))

export const readBack = async (entry_id: number, action: string, more: object = {}): Promise<unknown> => {
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
