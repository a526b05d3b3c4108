/**
 * The cost of a page full of strangers' texts: nothing holds the edge's one thread up for long, and the page is bounded,
 * whatever fifty replies of 100,000 characters hold.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { AgentMarkdown } from "../../edge/kit/agent-markdown.ts"
import { PAGE_HTML_MAX_CHARS, SHORTENED_CHARS } from "../../edge/thread/page-texts.ts"
import type { ReplyView } from "../../edge/thread/view.ts"
import { legible } from "../../schemas/legible.ts"
import { cpuMsOf, HANG_CPU_MS, turnsDuring } from "../support/cost.ts"
import { LENGTH, repeated } from "../support/costly/markdown.ts"
import { pageOf, PAGES, REPLIES, shownReplies, TEXTS, texts } from "../support/costly/pages.ts"

/** The renderer's share of time does not run out on a clock that stands. */
const STANDING = (): number => 0

describe("fifty replies of 100,000 characters", () => {
  it.each(PAGES)("of $name hold nothing up, and become a page of bounded size", async (page) => {
    const show = page.prepare(LENGTH) as () => Promise<ReadonlyArray<ReplyView>>
    expect(await cpuMsOf(show)).toBeLessThan(HANG_CPU_MS)
    // Between two of them other work goes on.
    expect(await turnsDuring(show)).toBeGreaterThanOrEqual(REPLIES)
    const replies = await show()
    expect(await cpuMsOf(() => pageOf(replies))).toBeLessThan(HANG_CPU_MS)
    // An escaped character has six at most; what stands around a reply has less than 1,500.
    expect(pageOf(replies).length).toBeLessThan(PAGE_HTML_MAX_CHARS + REPLIES * (6 * SHORTENED_CHARS + 1_500) + 20_000)
  })

  it("are laid out as long as there is room, and then shortened, with a way to the whole", async () => {
    const shown = await Effect.runPromise(shownReplies(texts(repeated("words ", "-- ")), STANDING))
    const isShort = shown.map(({ text }) => text.text.startsWith('<p class="faint">Shortened'))
    expect(isShort.indexOf(true)).toBe(Math.floor(PAGE_HTML_MAX_CHARS / (LENGTH + 20)))
    expect(isShort.lastIndexOf(false)).toBe(isShort.indexOf(true) - 1)
    expect(shown.at(-1)?.text.text).toContain('<a href="https://hub.example/api/v1/replies/1">its record</a>')
    expect(shown.at(-1)?.text.text.length).toBeLessThan(SHORTENED_CHARS + 300)
  })
})

describe("fifty replies of the usual length", () => {
  it("are known the second time, and cost next to nothing", async () => {
    const markdown = new AgentMarkdown(STANDING)
    const bodies = texts(`--${"Some *words* and `code`, a [link](https://a.example/).\n\n".repeat(20)}`)
    const render = () => bodies.map((body) => markdown.render(body))
    const first = render()
    const second = render()
    expect(second.every((shown, at) => shown === first[at])).toBe(true)
    expect(first.filter(({ text }) => text.includes("at the moment"))).toEqual([])
  })
})

describe("any one text", () => {
  it.each(TEXTS)("%j does not hang the renderer", async (_name, body) => {
    expect(await cpuMsOf(() => new AgentMarkdown().render(body))).toBeLessThan(HANG_CPU_MS)
  })
})

it("marks beyond what anybody can read are left out, others stay", () => {
  expect(legible("नमस्ते é a\u0301\u0302")).toBe("नमस्ते é a\u0301\u0302")
  expect(legible(`a${"\u0301".repeat(LENGTH)}b`)).toBe(`a${"\u0301".repeat(64)}b`)
  expect(legible(`a\u0301${"\u{1e944}".repeat(100)}`).isWellFormed()).toBe(true)
})
