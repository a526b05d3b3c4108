/** Every kind of page, looked at by axe-core and gone through by keyboard alone, in light and dark, wide and narrow. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { faintTexts, violations } from "../html/accessible.ts"
import { numberedSlug } from "../../schemas/content/slug.ts"
import { STARTER_LIBRARY } from "../../ops/launcher/starter-library.ts"
import { openBrowser, type TestBrowser, type Visit } from "../support/browser.ts"
import { operate } from "../support/hub.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { contrast } from "../html/contrast.ts"
import { openCommunity, openThread, pageWith } from "../html/community.ts"
import { focus, type Focus, overflow, reachable } from "../html/in-page.ts"

const ENOUGH_FOR_FOCUS = 3

/** Of what axe-core finds: which rule, and where. */

const KINDS = [
  "the first page",
  "threads",
  "threads, sifted",
  "a thread",
  "a thread by votes",
  "a locked thread",
  "a category",
  "categories",
  "posts",
  "a post",
  "agents",
  "an agent",
  "search",
  "search with results",
  "search for agents",
  "the library",
  "an entry of the library",
  "the roadmap",
  "the reference",
  "sealing an entry",
  "nothing there",
  "a query that is wrong"
] as const
type Kind = (typeof KINDS)[number]

let service: TestService
let browser: TestBrowser
/** Three windows for all pages. Each is a new document, which knows nothing of the one before. */
let wide: Visit
let narrow: Visit
let plain: Visit
let edge = ""
let paths: Readonly<Record<Kind, string>>

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  browser = await openBrowser()
  const axe = { bypassCSP: true } as const
  wide = await browser.visit(`${edge}/docs`, { ...axe, colorScheme: "light", viewport: { width: 1280, height: 800 } })
  narrow = await browser.visit(`${edge}/docs`, { ...axe, colorScheme: "dark", viewport: { width: 320, height: 640 } })
  plain = await browser.visit(`${edge}/docs`)
  await operate(service.system, ["library", "import", STARTER_LIBRARY])
  const { ada, thread, post, deepest } = await openCommunity(edge, "axe")
  const locked = await openThread(ada, { title: "Locked for all to see", body: "No more of it." })
  await operate(service.system, ["thread", "lock", String(locked.id)])
  const threadPath = `/threads/${numberedSlug(thread.id, thread.title)}`
  const lockedPath = `/threads/${numberedSlug(locked.id, locked.title)}`
  await pageWith(edge, threadPath, `reply-${deepest.id}`)
  await pageWith(edge, lockedPath, "This thread is locked")
  paths = {
    "the first page": "/",
    threads: "/threads",
    "threads, sifted": "/threads?kind=question&status=solved&sort=top&tag=signing",
    "a thread": threadPath,
    "a thread by votes": `${threadPath}?replies_sort=top`,
    "a locked thread": lockedPath,
    "a category": "/categories/help",
    categories: "/categories",
    posts: "/posts",
    "a post": `/posts/${numberedSlug(post.id, post.title)}`,
    agents: "/agents",
    "an agent": `/agents/${ada.agent.handle}`,
    search: "/search",
    "search with results": "/search?q=signature&type=threads",
    "search for agents": "/search?q=ada&type=agents",
    "the library": "/library",
    "an entry of the library": "/library/sign-typescript",
    "the roadmap": "/roadmap",
    "the reference": "/docs",
    "sealing an entry": "/vault/seal",
    "nothing there": "/nowhere",
    "a query that is wrong": "/threads?sort=odd"
  }
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

it("what would be found is found", async () => {
  const visit = await browser.visit(`${edge}/roadmap`, { bypassCSP: true })
  await visit.page.setContent('<html lang="en"><title>x</title><main><h1>x</h1><img src="data:,"><input></main></html>')
  const found = await violations(visit)
  expect(found.map(({ rule }) => rule)).toEqual(expect.arrayContaining(["image-alt", "label"]))
  await visit.close()
})

describe.each(KINDS)("%s", (kind) => {
  // Colours do not depend on the width, nor what fits on the colours.
  it.each([
    ["light colours, 1280 px", () => wide],
    ["dark colours, 320 px", () => narrow]
  ] as const)("in %s wide, keeps nobody out and fits", async (_, window) => {
    const visit = window()
    await visit.to(edge + paths[kind])
    expect(await violations(visit)).toEqual([])
    expect(await faintTexts(visit)).toEqual([])
    expect(await visit.page.evaluate(overflow)).toBe(0)
  })

  it("says nothing on the console, and asks for nothing else", async () => {
    await plain.to(edge + paths[kind])
    const refused = plain.status() >= 400
    expect([plain.status(), plain.requests]).toEqual([refused ? expect.any(Number) : 200, [edge + paths[kind]]])
    // The status of the page itself is all that Chromium may say.
    expect(plain.complaints.filter((line) => !refused || !line.includes(`status of ${plain.status()}`))).toEqual([])
  })

  it("is gone through by keyboard alone, and shows where it is", async () => {
    const visit = narrow
    await visit.to(edge + paths[kind])
    const expected = await visit.page.evaluate(reachable)
    expect(expected[0]).toBe("Skip to the content")
    const steps: Array<Focus> = []
    for (const _ of expected) {
      await visit.page.keyboard.press("Tab")
      const step = await visit.page.evaluate(focus)
      if (step !== null) steps.push(step)
    }
    expect(steps.map(({ name }) => name)).toEqual(expected)
    const unseen = steps.filter(
      ({ style, width, colour, grounds }) =>
        style !== "solid" || width < 2 || contrast(colour, grounds) < ENOUGH_FOR_FOCUS
    )
    expect(unseen).toEqual([])
  })
})
