/**
 * Pages made of text that wants to be more than text. The browser runs scripts here, and the pages' policy is switched
 * off: what holds is what the pages are made of, not what a policy catches.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openBrowser, type TestBrowser, type Visit } from "../support/browser.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { expectHarmless as expectHarmlessAt, isAllowed } from "./harmless.ts"
import { headings, look } from "./in-page.ts"
import { ADDRESSES, LONG_TEXTS, MARKDOWNS, TEXTS } from "./payloads.ts"
import { type SampleAgent, sampleAgent } from "./sample.ts"

let service: TestService
let browser: TestBrowser
let sample: SampleAgent
/** One window for all payloads. Each is a new document in it, which knows nothing of the one before. */
let visit: Visit

beforeAll(async () => {
  service = await sharedService()
  browser = await openBrowser()
  sample = await sampleAgent(service.edges[0] ?? "", "wildly-named")
  visit = await browser.visit(sample.url, { bypassCSP: true })
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

/** Nothing came of it; and each link says in words where it leads. */
const expectHarmless = async (): Promise<void> => {
  await expectHarmlessAt(visit, sample.url)
  const { links } = await visit.page.evaluate(look)
  expect(links.filter((name) => !/[\p{L}\p{N}]/u.test(name))).toEqual([])
}

const shown = async (change: Readonly<Record<string, unknown>>, look: () => Promise<void>): Promise<void> => {
  const answer = await sample.client.call("PATCH", "/api/v1/me", {
    body: { name: "x", description: "", links: [], transparency: "", ...change }
  })
  expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.anything()])
  await visit.again()
  await look()
}

const content = (selector: string): Promise<string | null> => visit.page.locator(selector).first().textContent()

it("what would be found is found", async () => {
  await visit.again()
  await visit.page.setContent(
    `<main id="content"><img src="x" onerror="window.__pwned=1"><a href="javascript:1">x</a><p onclick="x">y</p></main>`
  )
  await expect.poll(() => visit.page.evaluate("window.__pwned")).toBe(1)
  const found = (await visit.page.evaluate(look)).body
  expect(found.filter((element) => !isAllowed(element)).map(({ tag }) => tag)).toEqual(["img", "a", "p"])
  expect(visit.requests.length).toBeGreaterThan(1)
})

/** A name may have no characters that show nothing. */
const UNSEEN = /[\u200b\u2060\ufeff]/

describe("text is text in each field", () => {
  it.each(TEXTS)("%j", (text) => {
    const name = UNSEEN.test(text) ? "x" : text
    return shown(
      { name, description: text, links: [{ label: text, url: "https://a.example" }], transparency: text },
      async () => {
        await expectHarmless()
        expect(await content("h1")).toBe(name)
        expect(await content("p.text")).toBe(text)
        expect(await content(".links bdi")).toBe(text)
        expect(await visit.page.title()).toBe(`${name} (@wildly-named) · Hub`)
      }
    )
  })

  it.each(LONG_TEXTS)("%j", (text) =>
    shown({ description: text, transparency: text }, async () => {
      await expectHarmless()
      expect(await content(".who")).toContain(text.replaceAll(/\r\n?/g, "\n").trim().slice(0, 100))
    })
  )
})

describe("an address is an address", () => {
  it.each(ADDRESSES)("%j", (address) =>
    shown(
      {
        links: [{ label: "x", url: `https://a.example${address}` }],
        transparency: `[x](<https://a.example${address.replaceAll(/[\n\t]/g, "")}>)`
      },
      async () => {
        await expectHarmless()
        const href = await visit.page.locator(".links a").getAttribute("href")
        expect(href).toBe(new URL(`https://a.example${address}`).href)
        expect(await content(".links .host")).toBe("(a.example)")
      }
    )
  )

  it("shows its true host, whatever it looks like", () =>
    shown(
      {
        links: [
          { label: "bank.example", url: "https://bаnk.example/" },
          { label: "bank.example", url: "https://evil.example\\@bank.example/" },
          { label: "a", url: "HTTPS://EVIL.EXAMPLE:443/" }
        ]
      },
      async () => {
        await expectHarmless()
        expect(await visit.page.locator(".links .host").allTextContents()).toEqual([
          "(xn--bnk-6cd.example)",
          "(evil.example)",
          "(evil.example)"
        ])
      }
    ))
})

describe("markdown is harmless", () => {
  it.each(MARKDOWNS)("%j", (transparency) =>
    shown({ transparency }, async () => {
      await expectHarmless()
      expect((await content(".by-agent"))?.trim()).not.toBe("")
    })
  )

  it("in all of it together", () => shown({ transparency: MARKDOWNS.join("\n\n---\n\n") }, expectHarmless))

  it("with headings of any level in any order", () => {
    const levels = [6, 1, 4, 2, 2, 6, 3, 1, 5, 6, 1]
    return shown(
      { transparency: levels.map((level) => `${"#".repeat(level)} h`).join("\n\n> # q\n\n- ## l\n\n") },
      async () => {
        const found = (await visit.page.evaluate(headings)).map(([level]) => level)
        expect(found.length).toBeGreaterThan(30)
        expect(found.filter((level) => level === 1)).toHaveLength(1)
        expect(found.every((level, index) => index === 0 || level <= (found[index - 1] ?? 0) + 1)).toBe(true)
      }
    )
  })

  it("at its full length", () =>
    shown({ transparency: "> - *a* [b](https://c.example) `d` <e>\n".repeat(2600).slice(0, 100_000) }, async () => {
      expect(visit.status()).toBe(200)
      expect(await visit.page.locator(".by-agent").count()).toBe(1)
    }))
})
