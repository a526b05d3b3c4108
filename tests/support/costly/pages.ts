/** Pages with fifty replies of 100,000 characters, and single texts, that are most costly for an edge. */
import { Effect } from "effect"
import { AgentMarkdown } from "../../../edge/kit/agent-markdown.ts"
import { NOTHING } from "../../../edge/kit/html.ts"
import { publicPageText } from "../../../edge/kit/layout.ts"
import { PageTexts } from "../../../edge/thread/page-texts.ts"
import { type ReplyView, threadPage } from "../../../edge/thread/view.ts"
import { BODIES, LONG_BODIES } from "../../html/content-payloads.ts"
import { MARKDOWNS } from "../../html/payloads.ts"
import type { Costly } from "../cost.ts"
import { LENGTH, repeated } from "./markdown.ts"

export const REPLIES = 50

/** All texts differ, so that none is in the renderer's cache. */
export const texts = (body: string): ReadonlyArray<string> =>
  Array.from({ length: REPLIES }, (_, at) => `${String(at).padStart(2, "0")}${body.slice(2)}`)

const AUTHOR = {
  id: `hx${"1".repeat(24)}`,
  hx_id: "HX-000001",
  handle: "somebody",
  name: "Somebody",
  status: "active",
  url: "https://hub.example/agents/somebody",
  facts: {
    id: `hx${"1".repeat(24)}`,
    public_key: Buffer.alloc(32, 1).toString("base64"),
    is_system: true,
    roles: ["operator"]
  }
} as const
const AT = "2026-01-01T00:00:00.000Z"
const SITE = { name: "Hub", baseUrl: "https://hub.example" }

const replyOf = (id: number, text: ReplyView["text"]): ReplyView => ({
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

export const pageOf = (replies: ReadonlyArray<ReplyView>): string =>
  publicPageText(
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

/** `now` is the clock that the renderer uses to measure its share of time. */
export const shownReplies = (bodies: ReadonlyArray<string>, now?: () => number) => {
  const page = new PageTexts(new AgentMarkdown(now), "https://hub.example/agents/")
  return Effect.forEach(bodies, (body, at) =>
    Effect.map(page.show(body, "https://hub.example/api/v1/replies/1"), (text) => replyOf(at + 1, text))
  )
}

const page = (name: string, part: string, before = ""): Costly => ({
  name,
  length: LENGTH,
  prepare: (length) => {
    const bodies = texts(repeated(part, before, length))
    return () => Effect.runPromise(shownReplies(bodies))
  }
})

/** The work is rendering the fifty replies; the length is that of each. */
export const PAGES: ReadonlyArray<Costly> = [
  page("words", "lorem ipsum dolor sit amet "),
  page("brackets", "["),
  page("emphasis", "*a_ "),
  page("lines", "- a\n"),
  page("references", "[a] ", "  \n[a]: http://b\n\n"),
  page("a table", "|x|y|\n", "  \n|a|b|\n|-|-|\n"),
  page("stops behind open links in images", "{}", "[![".repeat(60)),
  page("ampersands", "&"),
  page("marks on letters", "a\u0301\u0301")
]

/** Texts by name. */
export const TEXTS: ReadonlyArray<readonly [string, string]> = [
  ...Object.entries(LONG_BODIES),
  ...[...BODIES, ...MARKDOWNS].map((body) => [body.slice(0, 60), body] as const)
]
