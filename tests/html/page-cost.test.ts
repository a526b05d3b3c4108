/**
 * What a page full of strangers' texts may cost: the edge's one thread is held up by nothing for longer than a bound, and
 * what goes out is bounded, whatever fifty replies of 100,000 characters hold.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { AgentMarkdown } from "../../edge/html/agent-markdown.ts"
import { NOTHING } from "../../edge/html/html.ts"
import { pageText } from "../../edge/html/layout.ts"
import { legible } from "../../schemas/legible.ts"
import { PAGE_HTML_MAX_CHARS, PageTexts, SHORTENED_CHARS } from "../../edge/html/page-texts.ts"
import { threadPage, type ReplyShown } from "../../edge/html/thread-view.ts"
import { cpuMsOf, leastExcess } from "../support/pace.ts"
import { BODIES, LONG_BODIES } from "./content-payloads.ts"
import { MARKDOWNS } from "./payloads.ts"

const LENGTH = 100_000
/** The edge's one thread may be held up for this long at most (contract 21). */
const STALL_MAX_MS = 50
const REPLIES = 50
const TRIES = 5

const repeated = (part: string, before = ""): string => (before + part.repeat(LENGTH)).slice(0, LENGTH)

/** Processor time, in ms: other processes do not count. */
const spent = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

/** The longest that the process was held up while the work was under way. */
const longestStretch = async (work: Effect.Effect<unknown>): Promise<number> => {
  let longest = 0
  let under = true
  let began = process.cpuUsage()
  const look = (): void => {
    longest = Math.max(longest, spent(began))
    began = process.cpuUsage()
    if (under) setImmediate(look)
  }
  look()
  await Effect.runPromise(work)
  under = false
  return Math.max(longest, spent(began))
}

/** Each one another, so that nothing is known of it. */
const texts = (body: string): ReadonlyArray<string> =>
  Array.from({ length: REPLIES }, (_, at) => `${String(at).padStart(2, "0")}${body.slice(2)}`)

const AUTHOR = {
  id: `hx${"1".repeat(24)}`,
  hx_id: "HX-000001",
  handle: "somebody",
  name: "Somebody",
  status: "active",
  url: "https://hub.example/agents/somebody"
} as const
const AT = "2026-01-01T00:00:00.000Z"
const SITE = { name: "Hub", baseUrl: "https://hub.example" }

const replyOf = (id: number, text: ReplyShown["text"]): ReplyShown => ({
  id,
  thread_id: 1,
  parent_id: id === 1 ? null : id - 1,
  author: AUTHOR,
  score: 0,
  upvotes: 0,
  downvotes: 0,
  my_vote: null,
  accepted: false,
  deleted: false,
  created_at: AT,
  edited_at: null,
  url: "https://hub.example/threads/1#reply-1",
  text
})

const pageOf = (replies: ReadonlyArray<ReplyShown>): string =>
  pageText(
    SITE,
    threadPage(SITE, {
      thread: {
        id: 1,
        category: { slug: "help", name: "Help" },
        kind: "question",
        title: "How?",
        tags: [],
        author: AUTHOR,
        status: "open",
        accepted_reply_id: null,
        reply_count: replies.length,
        score: 0,
        upvotes: 0,
        downvotes: 0,
        my_vote: null,
        pinned: false,
        last_activity_at: AT,
        created_at: AT,
        updated_at: AT,
        edited_at: null,
        url: "https://hub.example/threads/1",
        api_url: "https://hub.example/api/v1/threads/1",
        body: "x"
      },
      text: NOTHING,
      page: 1,
      total: replies.length,
      sort: "oldest",
      replies
    })
  )

const shownReplies = (bodies: ReadonlyArray<string>) => {
  const page = new PageTexts(new AgentMarkdown(), "https://hub.example/agents/")
  return Effect.forEach(bodies, (body, at) =>
    Effect.map(page.show(body, "https://hub.example/api/v1/replies/1"), (text) => replyOf(at + 1, text))
  )
}

describe("fifty replies of 100,000 characters", () => {
  it.each([
    ["words", repeated("lorem ipsum dolor sit amet ")],
    ["brackets", repeated("[")],
    ["emphasis", repeated("*a_ ")],
    ["lines", repeated("- a\n")],
    ["references", repeated("[a] ", "  \n[a]: http://b\n\n")],
    ["a table", repeated("|x|y|\n", "  \n|a|b|\n|-|-|\n")],
    ["stops behind open links in images", repeated("{}", "[![".repeat(60))],
    ["ampersands", repeated("&")],
    ["marks on letters", repeated("a\u0301\u0301")]
  ])("of %s hold nothing up, and become a page of bounded size", async (_what, body) => {
    expect(await leastExcess(TRIES, STALL_MAX_MS, () => longestStretch(shownReplies(texts(body))))).toBeLessThan(1)
    const replies = await Effect.runPromise(shownReplies(texts(body)))
    expect(await leastExcess(TRIES, STALL_MAX_MS, () => cpuMsOf(() => pageOf(replies)))).toBeLessThan(1)
    // An escaped character has six at most; what stands around a reply has less than 1,500.
    expect(pageOf(replies).length).toBeLessThan(PAGE_HTML_MAX_CHARS + REPLIES * (6 * SHORTENED_CHARS + 1_500) + 20_000)
  })

  it("are laid out as long as there is room, and then shortened, with a way to the whole", async () => {
    const shown = await Effect.runPromise(shownReplies(texts(repeated("words ", "-- "))))
    const isShort = shown.map(({ text }) => text.text.startsWith('<p class="faint">Shortened'))
    expect(isShort.indexOf(true)).toBe(Math.floor(PAGE_HTML_MAX_CHARS / (LENGTH + 20)))
    expect(isShort.lastIndexOf(false)).toBe(isShort.indexOf(true) - 1)
    expect(shown.at(-1)?.text.text).toContain('<a href="https://hub.example/api/v1/replies/1">its record</a>')
    expect(shown.at(-1)?.text.text.length).toBeLessThan(SHORTENED_CHARS + 300)
  })
})

describe("fifty replies of the usual length", () => {
  it("are known the second time, and cost next to nothing", async () => {
    const markdown = new AgentMarkdown()
    const bodies = texts(`--${"Some *words* and `code`, a [link](https://a.example/).\n\n".repeat(20)}`)
    const render = () => bodies.map((body) => markdown.render(body))
    const first = render()
    const second = render()
    expect(second.every((shown, at) => shown === first[at])).toBe(true)
    expect(first.filter(({ text }) => text.includes("at the moment"))).toEqual([])
  })
})

describe("any one text", () => {
  it.each([
    ...Object.entries(LONG_BODIES),
    ...[...BODIES, ...MARKDOWNS].map((body) => [body.slice(0, 60), body] as const)
  ])("%j takes less than the bound", async (_what, body) => {
    const excess = await leastExcess(TRIES, STALL_MAX_MS, () => cpuMsOf(() => new AgentMarkdown().render(body)))
    expect(excess).toBeLessThan(1)
  })
})

it("marks beyond what anybody can read are left out, others stay", () => {
  expect(legible("नमस्ते é a\u0301\u0302")).toBe("नमस्ते é a\u0301\u0302")
  expect(legible(`a${"\u0301".repeat(LENGTH)}b`)).toBe(`a${"\u0301".repeat(64)}b`)
  expect(legible(`a\u0301${"\u{1e944}".repeat(100)}`).isWellFormed()).toBe(true)
})
