/** The owner's space as one application: the overview, the pages of mail, vaults and compartments, and the navigation. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { faintTexts, violations } from "../accessible.ts"
import { openSample, type Sample } from "../../../ops/screens/service.ts"
import { waitFor } from "../../harness/index.ts"
import { openBrowser, type TestBrowser, type Visit } from "../../support/browser.ts"
import { newOwner } from "../../support/owner.ts"
import { anAgent } from "../../support/sponsorship.ts"
import { overflow } from "../in-page.ts"
import { headingOf } from "./client.ts"

const HEIGHT = 740
/** One more than a page of mail or vaults shows. */
const MANY = 11
/** Targets that are lower than this many pixels, but for links in a line of text and what a closed part hides. */
const LOW = `[...document.querySelectorAll(
  "nav a, button, .button, summary, .need a, select, textarea, input:not([type=hidden], [type=radio], [type=checkbox]), label:has([type=radio], [type=checkbox])"
)].filter((one) => one.checkVisibility()).map((one) => [one.closest(".need") ?? one, one.textContent || one.name])
  .filter(([one]) => one.getBoundingClientRect().height < 44).map(([, name]) => name)`

let sample: Sample
let browser: TestBrowser
beforeAll(async () => {
  sample = await openSample()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.stop()
  await sample?.stop()
})

const WAYS = ["Your agents", "Mail", "Vault", "Compartments", "Settings"]

const signedIn = async (options: Parameters<TestBrowser["visit"]>[1]): Promise<Visit> => {
  const { email, password } = sample.household.owner.client
  const visit = await browser.visit(`${sample.edge}/owner/login`, { bypassCSP: true, ...options })
  await visit.page.getByLabel("E-mail address", { exact: true }).fill(email)
  await visit.page.getByLabel("Password", { exact: true }).fill(password)
  await visit.page.getByRole("button", { name: "Log in", exact: true }).click()
  await visit.page.getByRole("heading", { level: 1, name: "Your agents" }).waitFor()
  return visit
}

/** The pages, and the way of the navigation that each belongs to. */
const pages = (): ReadonlyArray<readonly [path: string, way: string]> => [
  ["/owner", "Your agents"],
  ["/owner/agents/marginalia", "Your agents"],
  ["/owner/agents/tidewatch", "Your agents"],
  ["/owner/agents/nobody-has-this", "Your agents"],
  ["/owner/mail", "Mail"],
  ["/owner/vault", "Vault"],
  ["/owner/compartments", "Compartments"],
  ["/owner/compartments/new", "Compartments"],
  [`/owner/compartments/${sample.household.compartment}`, "Compartments"],
  ["/owner/settings", "Settings"]
]

const needs = async ({ page }: Visit): Promise<ReadonlyArray<string>> =>
  (await page.locator(".need").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim())

const titles = [
  "A fill waits for your consent",
  "A captcha waits for you",
  "It asks you: 1 question",
  "Approve another"
]

describe("the overview", () => {
  it("lists everything that waits, soonest end first, and each item leads to its place", async () => {
    const visit = await signedIn({ viewport: { width: 1280, height: HEIGHT } })
    const found = await needs(visit)
    expect(found.map((one, index) => one.startsWith(titles[index] ?? "Read 1 message"))).toEqual(found.map(() => true))
    expect(found.length).toBe(titles.length + 1)
    expect(found[0]).toMatch(/^A fill waits for your consent Marginalia · until \d\d:\d\d UTC$/)
    expect(found[3]).toContain("Jonas Weber at Marginalia")
    expect(found.at(-1)).toBe("Read 1 message Lintel")
    const links = await visit.page.locator(".need a").evaluateAll((all) => all.map((one) => one.getAttribute("href")))
    expect(links).toEqual([
      "/owner/agents/marginalia#consents",
      expect.stringMatching(/^\/owner\/captcha\/\d+$/),
      "/owner/agents/tidewatch#asks",
      expect.stringMatching(/^\/owner\/agents\/marginalia\/owners\/\d+$/),
      "/owner/agents/lintel#said"
    ])
    // Anywhere on the item, not on the words alone.
    await visit.page
      .locator(".need")
      .nth(2)
      .click({ position: { x: 8, y: 8 } })
    await visit.page.getByRole("heading", { level: 1, name: "Tidewatch" }).waitFor()
    await visit.close()
  })

  it("shows a compartment in trouble, and one that runs is none", async () => {
    const { owner, compartment } = sample.household
    const { service, host } = sample
    const text = async (path = "/owner") => (await owner.client.get(path)).text
    expect(await text()).not.toContain("A compartment is in trouble")
    const { run } = await service.view.command("compartment.desired", compartment, { host: host.id })
    const exit = { exit_code: 1, oom_killed: false, why: "program", at: Date.now() } as const
    await host.tells(compartment, { type: "exited", run, ...exit })
    const page = await waitFor(async () => {
      const shown = await text()
      return shown.includes("A compartment is in trouble") ? shown : null
    })
    expect(page).toContain(`<a href="/owner/compartments/${compartment}">A compartment is in trouble</a>`)
    expect(await text("/owner/compartments")).toContain(
      '<span class="chip bad">Ended, and waiting for its next start</span>'
    )
  })

  it("says to somebody new what to do, and so do the other pages", async () => {
    const owner = await newOwner([sample.edge])
    const page = async (path: string) => (await owner.client.get(path)).text
    expect(await page("/owner")).toContain("You stand behind no agent yet. Ask one below.")
    expect(await page("/owner")).not.toContain('id="waiting"')
    for (const path of ["/owner/mail", "/owner/vault"])
      expect(await page(path)).toContain('You stand behind no agent yet. <a href="/owner#declare">Ask one</a>')
    expect(await page("/owner/compartments")).toContain('href="/owner/compartments/new">Make a compartment</a>')
  })
})

describe("pages of all agents together", () => {
  it("mail has senders, subjects, codes and how far to believe them, and no body", async () => {
    const page = await sample.household.owner.client.get("/owner/mail")
    const text = page.text.replaceAll(/<[^>]*>/g, "")
    expect(headingOf(page)).toBe("Mail")
    expect(text).toContain("The Archive · no-reply@archive.example, to Marginalia (marginalia@mail.hub.example)")
    expect(text).toContain("Code: 482913")
    expect(text).toContain("Your account will be closed Probably forged")
    expect(text).not.toContain("Your verification code is")
    const order = ["Confirm your account", "Re: Page 41", "Your account will be closed"].map((one) => text.indexOf(one))
    expect(order).toEqual(order.toSorted((one, other) => one - other))
  })

  it("vaults have entries with their sites and limits, and no secret and no form", async () => {
    const { text } = await sample.household.owner.client.get("/owner/vault")
    expect(text).toContain('href="/owner/agents/marginalia#vault"')
    expect(text).toContain("At most 50.00 EUR a payment, 80.00 EUR and 3 times a day.")
    expect(text).toContain('href="/owner/agents/marginalia#consents">A fill waits for your consent</a>')
    for (const secret of ["4111", "correct horse"]) expect(text).not.toContain(secret)
    expect(text.split("<main")[1]).not.toContain("<form")
  })

  it("show ten agents, and lead to the others", async () => {
    const owner = await newOwner([sample.edge])
    const agents = await Promise.all(Array.from({ length: MANY }, () => anAgent([sample.edge])))
    for (const agent of agents) await owner.carries(agent)
    const [last = ""] = agents.map(({ agent }) => agent.handle)
    const text = async (path: string) => (await owner.client.get(path)).text
    for (const path of ["/owner/mail", "/owner/vault"]) {
      const first = await text(path)
      expect(first).toContain("None of the agents on this page has a")
      expect(first).toContain(`<a href="${path}?page=2" rel="next">Next page</a>`)
      expect(await text(`${path}?page=2`)).toContain(`<a href="${path}" rel="prev">Previous page</a>`)
    }
    // The overview shows all of them.
    expect(await text("/owner")).toContain(`href="/owner/agents/${last}"`)
    expect((await text("/owner")).split('<li class="tile">').length - 1).toBe(MANY)
  })

  it("are not there without a session", async () => {
    for (const path of ["/owner/mail", "/owner/vault", "/owner/compartments"]) {
      const answer = await (await newOwner([sample.edge])).client.another().get(path)
      expect([answer.status, answer.headers.location]).toEqual([303, `/owner/login?next=${encodeURIComponent(path)}`])
    }
  })
})

describe.each([
  ["light", 320],
  ["dark", 320],
  ["light", 768],
  ["dark", 1280],
  ["light", 1920]
] as const)("in %s colors, %i pixels wide", (colorScheme, width) => {
  it("every page has the one navigation, can be read and pressed, and needs no script", async () => {
    const visit = await signedIn({ viewport: { width, height: HEIGHT }, colorScheme })
    const { page } = visit
    for (const [path, way] of pages()) {
      await visit.to(`${sample.edge}${path}`)
      const nav = page.getByRole("navigation", { name: "Your account" })
      expect(
        (await nav.getByRole("link").allInnerTexts()).map((one) => one.trim()),
        path
      ).toEqual(WAYS)
      expect(await nav.locator("[aria-current]").allInnerTexts(), path).toEqual([way])
      expect(await page.locator("script").count(), path).toBe(0)
      expect(await page.evaluate(overflow), path).toBe(0)
      expect(await page.evaluate(LOW), path).toEqual([])
      expect(await violations({ page }), path).toEqual([])
      expect(await faintTexts({ page }), path).toEqual([])
    }
    await visit.close()
  })
})

it("on paper there is neither navigation nor form", async () => {
  const visit = await signedIn({ viewport: { width: 1280, height: HEIGHT } })
  await visit.page.emulateMedia({ media: "print" })
  for (const [path] of pages()) {
    await visit.to(`${sample.edge}${path}`)
    const shown = visit.page.locator("nav:visible, button:visible, textarea:visible")
    expect(await shown.count(), path).toBe(0)
  }
  await visit.close()
})
