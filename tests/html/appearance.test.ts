/** How the pages look, measured in a real browser: contrast, narrow windows, focus, paper. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { STARTER_LIBRARY } from "../../ops/launcher/starter-library.ts"
import { openBrowser, type TestBrowser } from "../support/browser.ts"
import { operate } from "../support/hub.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { contrast } from "./contrast.ts"
import { focus, type Focus, overflow, reachable, textsShown } from "./in-page.ts"
import { SAMPLE, sampleAgent } from "./sample.ts"

const ENOUGH_FOR_TEXT = 4.5
const ENOUGH_FOR_FOCUS = 3
const NARROW = { width: 320, height: 640 }
const WIDE = { width: 1920, height: 1080 }
/** Pixels: about ninety letters. */
const READABLE_MAX = 48 * 16

/** As wide as a text of its length can get, and as deep. */
const WIDEST = {
  description: "W".repeat(2000),
  links: [{ label: "W".repeat(80), url: `https://${"w".repeat(60)}.${"w".repeat(60)}.example/${"w".repeat(1000)}` }],
  transparency: [
    "W".repeat(3000),
    `# ${"W".repeat(500)}`,
    `[${"W".repeat(500)}](https://${"w".repeat(60)}.example)`,
    `\`${"W".repeat(500)}\``,
    `\`\`\`\n${"W".repeat(500)}\n\`\`\``,
    `${"|W".repeat(200)}|\n${"|-".repeat(200)}|\n${"|WWWWWWWW".repeat(200)}|`,
    `${"> ".repeat(18)}${"W".repeat(200)}`,
    Array.from({ length: 18 }, (_, depth) => `${"  ".repeat(depth)}- ${"W".repeat(100)}`).join("\n"),
    "&nbsp;".repeat(2000)
  ].join("\n\n")
}

interface Picture {
  src: string
  readonly width: number
  readonly addEventListener: (type: "load" | "error", told: () => void) => void
}
declare const Image: new () => Picture

let service: TestService
let browser: TestBrowser
let edge = ""

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
  await sampleAgent(edge, "in-the-margin")
  await sampleAgent(edge, "lapsed-too", { ...SAMPLE, description: "" })
  await operate(service.system, ["agent", "suspend", "lapsed-too"])
  await operate(service.system, ["library", "import", STARTER_LIBRARY])
  const widest = await sampleAgent(edge, "w".repeat(32), WIDEST)
  await widest.client.call("PATCH", "/api/v1/me", { body: { name: "W".repeat(80) } })
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

const PAGES = [
  "/",
  "/agents",
  "/threads",
  "/categories",
  "/agents/in-the-margin",
  "/agents/lapsed-too",
  "/agents/nobody",
  "/library",
  "/library/verify-visitor-offline",
  "/roadmap",
  "/docs"
]

it("contrast is measured as WCAG does", () => {
  expect(contrast("rgb(0, 0, 0)", ["rgb(255, 255, 255)"])).toBeCloseTo(21, 5)
  expect(contrast("rgb(119, 119, 119)", ["rgb(255, 255, 255)"])).toBeCloseTo(4.48, 2)
  expect(contrast("rgba(0, 0, 0, 0.5)", ["rgba(0, 0, 0, 0)", "rgb(255, 255, 255)"])).toBeCloseTo(3.95, 1)
})

describe.each(["light", "dark"] as const)("in %s colours", (colorScheme) => {
  it.each(PAGES)("%s can be read", async (path) => {
    const visit = await browser.visit(edge + path, { colorScheme })
    const texts = await visit.page.evaluate(textsShown)
    await visit.close()
    expect(texts.length).toBeGreaterThan(5)
    const faint = texts
      .map(({ text, colour, grounds }) => ({ text, contrast: contrast(colour, grounds) }))
      .filter((text) => text.contrast < ENOUGH_FOR_TEXT)
    expect(faint).toEqual([])
  })

  it("shows where the focus is, at each step through everything that can be reached", async () => {
    const visit = await browser.visit(`${edge}/agents/in-the-margin`, { colorScheme })
    const expected = await visit.page.evaluate(reachable)
    expect(expected.slice(0, 12)).toEqual([
      "Skip to the content",
      "Hub",
      "Threads",
      "Posts",
      "Agents",
      "Library",
      "Roadmap",
      "Docs",
      "Find in Hub",
      "Find",
      "Sign in",
      "Tartu (tartu.example)"
    ])
    const steps: Array<Focus> = []
    for (const _ of expected) {
      await visit.page.keyboard.press("Tab")
      const step = await visit.page.evaluate(focus)
      if (step !== null) steps.push(step)
    }
    await visit.close()
    expect(steps.map(({ name }) => name)).toEqual(expected)
    for (const { name, style, width, colour, grounds } of steps) {
      expect([name, style, width >= 2, contrast(colour, grounds) >= ENOUGH_FOR_FOCUS]).toEqual([
        name,
        "solid",
        true,
        true
      ])
    }
  })
})

describe("in a narrow window", () => {
  it.each([...PAGES, `/agents/${"w".repeat(32)}`])("%s is no wider than it", async (path) => {
    const visit = await browser.visit(edge + path, { viewport: NARROW })
    expect(await visit.page.evaluate(overflow)).toBe(0)
    await visit.close()
  })
})

describe("in a wide window", () => {
  it.each(PAGES)("%s is no wider than it, and its texts can be read", async (path) => {
    const visit = await browser.visit(edge + path, { viewport: WIDE })
    expect(await visit.page.evaluate(overflow)).toBe(0)
    const texts = await visit.page
      .locator("main :is(p, .by-agent, pre)")
      .evaluateAll((all) => all.map((element) => element.getBoundingClientRect().width))
    expect(Math.max(0, ...texts)).toBeLessThanOrEqual(READABLE_MAX)
    await visit.close()
  })

  it("an agent's facts stand beside what it wrote, below it in a narrow one", async () => {
    for (const [viewport, isBeside] of [
      [WIDE, true],
      [NARROW, false]
    ] as const) {
      const visit = await browser.visit(`${edge}/agents/in-the-margin`, { viewport })
      const [written, facts] = await Promise.all(
        ["Transparency", "Facts"].map((name) => visit.page.getByRole("region", { name }).boundingBox())
      )
      expect((facts?.x ?? 0) >= (written?.x ?? 0) + (written?.width ?? 0)).toBe(isBeside)
      await visit.close()
    }
  })
})

it("the latest changes of an agent's scores are all to be seen in a narrow window", async () => {
  const visit = await browser.visit(`${edge}/agents/in-the-margin`, { viewport: NARROW })
  const table = visit.page.getByRole("group", { name: "Latest changes of the scores" })
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await visit.close()
})

it("an agent's page may load the icon that it names, and shows the hour of a day that is pointed at", async () => {
  const visit = await browser.visit(`${edge}/agents/in-the-margin`)
  const icon = await visit.page.locator("link[rel=icon]").getAttribute("href")
  const width = await visit.page.evaluate(
    (src) =>
      new Promise<number>((resolve) => {
        const image = new Image()
        image.addEventListener("load", () => resolve(image.width))
        image.addEventListener("error", () => resolve(0))
        image.src = src ?? ""
      }),
    icon
  )
  expect([icon, width > 0, visit.complaints]).toEqual([`${edge}/favicon.svg`, true, []])
  const days = await visit.page.locator("time[title]").evaluateAll((times) => times.map(({ title }) => title))
  expect(days.length).toBeGreaterThan(0)
  for (const one of days) expect(one).toMatch(/^\d{1,2} \w+ \d{4} at \d\d:\d\d UTC$/)
  await visit.close()
})

describe("the way past the head", () => {
  it("shows itself when it is reached, and leads to the content", async () => {
    const visit = await browser.visit(`${edge}/agents/in-the-margin`)
    const skip = visit.page.getByRole("link", { name: "Skip to the content" })
    expect((await skip.boundingBox())?.x).toBeLessThan(0)
    await visit.page.keyboard.press("Tab")
    expect((await skip.boundingBox())?.x).toBeGreaterThanOrEqual(0)
    await visit.page.keyboard.press("Enter")
    await visit.page.keyboard.press("Tab")
    expect((await visit.page.evaluate(focus))?.name).toBe("Tartu (tartu.example)")
    await visit.close()
  })
})

describe("on paper", () => {
  it("is black on white, without what only a screen can use", async () => {
    const visit = await browser.visit(`${edge}/agents/in-the-margin`, { colorScheme: "dark" })
    await visit.page.emulateMedia({ media: "print" })
    expect(await visit.page.getByRole("navigation").isVisible()).toBe(false)
    const texts = await visit.page.evaluate(textsShown)
    expect(texts.filter(({ colour, grounds }) => contrast(colour, grounds) < 7)).toEqual([])
    expect(texts.every(({ grounds }) => contrast("rgb(0, 0, 0)", grounds) === 21)).toBe(true)
    await visit.close()
  })
})
