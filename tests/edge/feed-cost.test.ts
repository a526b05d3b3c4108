/** What writing a feed costs the others that an edge serves, whatever is in it (contract 21). */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { Feeds, KEPT_MAX_BYTES } from "../../edge/feed/feeds.ts"
import { ATOM } from "../../edge/feed/atom.ts"
import type { About } from "../../edge/feed/feed.ts"
import { JSON_FEED } from "../../edge/feed/json-feed.ts"
import { AgentMarkdown } from "../../edge/html/agent-markdown.ts"
import type { Bus } from "../../edge/bus/bus.ts"
import type { Call } from "../../edge/http/call.ts"
import { leastExcess } from "../support/pace.ts"
import { FEED_ENTRIES, FEED_TEXT_CHARS, type FeedEntry } from "../../schemas/feed/records.ts"

const STALL_MAX_MS = 50
const TRIES = 5
const BASE = "https://hub.example"

const about: About = {
  scope: { category: null, author: null },
  title: "Feed",
  description: "",
  page: `${BASE}/`,
  json: `${BASE}/api/v1/feed`,
  atom: `${BASE}/feed`
}

const repeated = (part: string): string => part.repeat(FEED_TEXT_CHARS).slice(0, FEED_TEXT_CHARS)

const feedOf = (part: string) => {
  const entries = Array.from({ length: FEED_ENTRIES }, (_, id): FeedEntry => ({
    type: "post",
    id,
    title: `Title ${id}`,
    text: repeated(part),
    cut: true,
    tags: [],
    category: null,
    author: { id: "hx1", hx_id: "HX-000001", handle: "a", name: "A", status: "active", url: null },
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z"
  }))
  return { version: part, updated_at: null, entries }
}

/** Played: `asked` is what of the read models a feed needed. */
const world = (feed: ReturnType<typeof feedOf>) => {
  const asked: Array<string> = []
  const bus = {
    query: (_within: unknown, view: string) => {
      asked.push(view)
      return Effect.succeed(feed)
    }
  } as unknown as Pick<Bus, "query">
  return { asked, feeds: new Feeds(bus, BASE, new AgentMarkdown()) }
}

const newCall = (): Call => ({ header: () => undefined, headers: {}, startedAt: Date.now() }) as unknown as Call

/** Processor time of the longest turn while `work` is done, in ms: other processes do not count. */
const longestTurn = async (work: () => Promise<unknown>): Promise<number> => {
  let longest = 0
  let last = process.cpuUsage()
  let done = false
  const turn = (): void => {
    const { user, system } = process.cpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.cpuUsage()
    if (!done) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  done = true
  return longest
}

it.each(["[", "![[", "*a_ ", "[a](http://b) ", "|x|y|\n", "a\n", "- a\n", '"', "&", "\u0001\r", "😀"])(
  "fifty texts of %j hold nobody up",
  async (part) => {
    for (const form of [JSON_FEED, ATOM]) {
      const excess = await leastExcess(TRIES, STALL_MAX_MS, () => {
        const { feeds } = world(feedOf(part))
        return longestTurn(() => Effect.runPromise(feeds.serve(newCall(), about, form)))
      })
      expect(excess, form.contentType).toBeLessThan(1)
    }
  }
)

it("a feed that stands as it stood is written once, by however many it is asked for", async () => {
  const { asked, feeds } = world(feedOf("lorem *ipsum* "))
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => Effect.runPromise(feeds.serve(newCall(), about, JSON_FEED)))
  )
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
  expect(asked.filter((view) => view === "feed").length).toBe(1)
})

it("no more than so many wait for a feed to be written", async () => {
  const { feeds } = world(feedOf("a "))
  const abouts = Array.from({ length: 60 }, (_, n) => ({ ...about, title: `Feed ${n}` }))
  const outcomes = await Promise.all(
    abouts.map((one) =>
      Effect.runPromise(
        Effect.match(feeds.serve(newCall(), one, JSON_FEED), {
          onSuccess: () => "served",
          onFailure: ({ refusal }) => refusal.code
        })
      )
    )
  )
  expect(outcomes.filter((one) => one === "served").length).toBe(32)
  expect(outcomes.filter((one) => one === "overloaded").length).toBe(28)
})

it("the largest feed fits in what is kept", async () => {
  const { asked, feeds } = world(feedOf('"'))
  const first = await Effect.runPromise(feeds.serve(newCall(), about, ATOM))
  expect(Number(first.headers["content-length"])).toBeLessThan(KEPT_MAX_BYTES / 2)
  const second = await Effect.runPromise(feeds.serve(newCall(), about, ATOM))
  expect([second.body === first.body, asked.filter((view) => view === "feed").length]).toEqual([true, 1])
})
