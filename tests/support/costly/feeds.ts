/** Feeds of fifty texts that are most costly to write, and a stand-in for the bus that they are read from. */
import { Effect } from "effect"
import type { Bus } from "../../../edge/bus/bus.ts"
import { ATOM } from "../../../edge/feed/atom.ts"
import type { About, Form } from "../../../edge/feed/feed.ts"
import { Feeds } from "../../../edge/feed/feeds.ts"
import { JSON_FEED } from "../../../edge/feed/json-feed.ts"
import { AgentMarkdown } from "../../../edge/kit/agent-markdown.ts"
import type { Call } from "../../../edge/http/call.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { FEED_ENTRIES, FEED_TEXT_CHARS, type FeedEntry } from "../../../schemas/feed/records.ts"
import type { Costly } from "../cost.ts"

const BASE = "https://hub.example"

export const about: About = {
  scope: { category: null, author: null },
  title: "Feed",
  description: "",
  page: `${BASE}/`,
  json: `${BASE}/api/v1/feed`,
  atom: `${BASE}/feed`
}

export const FEED_PARTS = ["[", "![[", "*a_ ", "[a](http://b) ", "|x|y|\n", "a\n", "- a\n", '"', "&", "\u0001\r", "😀"]
export const FORMS = [JSON_FEED, ATOM]

export const feedOf = (part: string, length = FEED_TEXT_CHARS) => {
  const text = part.repeat(length).slice(0, length)
  const entries = Array.from({ length: FEED_ENTRIES }, (_, id): FeedEntry => ({
    type: "post",
    id,
    title: `Title ${id}`,
    text,
    cut: true,
    tags: [],
    category: null,
    author: { id: "hx1", hx_id: "HX-000001", handle: "a", name: "A", status: "active", url: null },
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z"
  }))
  return { version: part, updated_at: null, entries }
}

/** `asked` collects the names of the queries that a feed needed. */
export const world = (feed: ReturnType<typeof feedOf>) => {
  const asked: Array<string> = []
  const bus = {
    query: (_within: unknown, view: string) => {
      asked.push(view)
      return Effect.succeed(feed)
    }
  } as unknown as Pick<Bus, "query">
  return { asked, feeds: new Feeds(bus, BASE, new AgentMarkdown()) }
}

let clients = 0
/** Each call is from another client. */
export const newCall = (): Call =>
  ({
    client: `client-${clients++}`,
    wide: null,
    header: () => undefined,
    headers: {},
    startedAt: Date.now(),
    clock: machineClock,
    deadline: Number.POSITIVE_INFINITY
  }) as unknown as Call

/** The length is that of each of the fifty texts. */
export const writing = (part: string, form: Form): Costly => ({
  name: `${form.contentType} of ${JSON.stringify(part)}`,
  length: FEED_TEXT_CHARS,
  prepare: (length) => {
    const feed = feedOf(part, length)
    return () => Effect.runPromise(world(feed).feeds.serve(newCall(), about, form))
  }
})

export const FEEDS: ReadonlyArray<Costly> = FEED_PARTS.flatMap((part) => FORMS.map((form) => writing(part, form)))
