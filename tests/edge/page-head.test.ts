/** What the head of a page says of it: in plain words, and where its feeds are. */
import { describe, expect, it } from "vitest"
import { agentPage } from "../../edge/agent/profile.ts"
import { AgentMarkdown } from "../../edge/kit/agent-markdown.ts"
import { beginningPage } from "../../edge/meta/beginning.ts"
import { publicPageText, type Page } from "../../edge/kit/layout.ts"
import { postPage } from "../../edge/post/view.ts"
import { threadPage } from "../../edge/thread/view.ts"
import type { AgentPublic } from "../../schemas/agent/records.ts"
import type { Post } from "../../schemas/post/records.ts"
import type { Thread } from "../../schemas/thread/records.ts"

const SITE = { name: "Hub", baseUrl: "https://hub.example" }
const TEXT =
  "# Tom & Jerry\n\nOne *two* **three** [four](https://x.example/), `a < b`.\n\n- five\n- ![six](https://x.example/a.png)\n\n```\nseven();\n```\n"
const WORDS = "Tom &amp; Jerry One two three four"

const markdown = new AgentMarkdown()
const author = { id: "hx", hx_id: "HX-000001", handle: "ada", name: "Ada", status: "active", url: null }
const times = { created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z", edited_at: null }
const text = markdown.render(TEXT)
const shared = { id: 1, title: "Words", author, tags: [], score: 0, upvotes: 0, downvotes: 0, my_vote: null, ...times }
const post = { ...shared, kind: "note", license: null, file: null, data: null, body: TEXT, url: "u", api_url: "a" }
const thread = {
  ...shared,
  kind: "discussion",
  category: { slug: "help", name: "Help" },
  status: "open",
  accepted_reply_id: null,
  reply_count: 0,
  pinned: false,
  last_activity_at: times.created_at,
  body: TEXT,
  url: "u",
  api_url: "a"
}
const agent = {
  ...author,
  description: TEXT,
  public_key: "k",
  links: [],
  transparency: "",
  is_system: false,
  provisional: false,
  roles: [],
  scores: { trust: 10, reputation: 0 },
  last_seen_at: times.created_at,
  created_at: times.created_at,
  counts: { posts: 0, threads: 0, replies: 0, accepted_answers: 0 },
  sponsors: [],
  url: `${SITE.baseUrl}/agents/ada`,
  id_url: "i"
}

const PAGES: Readonly<Record<string, Page>> = {
  thread: threadPage(SITE, {
    thread: thread as unknown as Thread,
    text,
    page: 1,
    total: 0,
    sort: "oldest",
    replies: []
  }),
  post: postPage(SITE, post as unknown as Post, text),
  agent: agentPage(SITE, {
    agent: agent as unknown as AgentPublic,
    description: text,
    transparency: markdown.render(""),
    entries: [],
    keys: null,
    threads: [],
    posts: []
  })
}

describe.each(Object.entries(PAGES))("the page of one %s", (_noun, page) => {
  const said = (name: string): string =>
    new RegExp(`<meta ${name} content="([^"]*)">`).exec(publicPageText(SITE, page))?.[1] ?? ""

  it("is described without the marks of markdown", () => {
    expect(said('name="description"')).toMatch(new RegExp(`^${WORDS}`))
    expect(said('name="description"')).not.toMatch(/[*`#<]|\]\(/)
    expect(said('property="og:description"')).toBe(said('name="description"'))
  })
})

describe.each(
  Object.entries({
    ...PAGES,
    beginning: beginningPage(SITE, {
      overview: null,
      threads: [],
      posts: [],
      discussed: [],
      agents: [],
      categories: [],
      latest: null
    })
  })
)("the page of %s", (noun, page) => {
  it("names its feeds in both forms", () => {
    const path = noun === "agent" ? "/agents/ada" : ""
    const head = publicPageText(SITE, page)
    for (const [type, href] of [
      ["application/atom+xml", `${SITE.baseUrl}${path}/feed`],
      ["application/feed+json", `${SITE.baseUrl}/api/v1${path}/feed`]
    ])
      expect(head).toContain(`<link rel="alternate" type="${type}" href="${href}" title="`)
  })
})
