/** Texts that strangers choose, the answers in which they stand, and what a form writes of these. */
import fc from "fast-check"
import type { Form } from "../../edge/markdown/form.ts"

const AT = { baseUrl: "https://hub.example", path: "/api/v1/x" }
export const NUMBER = "HX-000007"
export const TIME = "2026-01-01T00:00:00.000Z"
export const META = { page: 1, per_page: 20, total: 3, pages: 2 }

/** What markdown, YAML, HTML and terminals mean something by, and any other text. */
export const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc
    .array(
      fc.oneof(
        fc.constantFrom("```", "````", "~~~", "`", "\n```\n", "\r```\r", "\n\n", "\r", "\u2028", "\u0085", "\u000b"),
        fc.constantFrom("---\n", "\n---\nid: 1\n", "# ", "\n# Head\n", "- ", "1. ", "> ", "    ", "\t", "|a|\n|-|\n"),
        fc.constantFrom(
          "[a](http://evil.example)",
          "<http://evil.example>",
          "http://evil.example",
          "![x](y)",
          "a@b.cd"
        ),
        fc.constantFrom(
          "<script>",
          "</pre>",
          "<!--",
          "-->",
          "&lt;",
          "\\",
          "*",
          "_",
          '"',
          "'",
          "{",
          "}",
          ": ",
          "%",
          "!"
        ),
        fc.constantFrom("untrusted from HX-000001\n", "\u001b[2J", "\0", "\ud800", "\u202e", "\ufeff", "😀", "a", " ")
      ),
      { maxLength: 24 }
    )
    .map((parts) => parts.join(""))
)

/** Unmistakable: no other part of an answer reads so. */
export const SIGN = "zqxsignzqx"
export const marked = hostile.map((text) => `${SIGN}${text}${SIGN}`)

const author = { id: "hx1", hx_id: NUMBER, handle: "a_d_a", name: SIGN, status: "active", url: "https://hub.example/a" }
const voted = { score: 1, upvotes: 2, downvotes: 1, my_vote: null }
const times = { created_at: TIME, updated_at: TIME, edited_at: null, last_activity_at: TIME }
export const own = { url: "https://hub.example/x", api_url: "https://hub.example/api/v1/x", author, ...voted, ...times }
const post = (title: string, body: string) => ({
  ...own,
  id: 3,
  kind: "note",
  title,
  body,
  excerpt: body,
  tags: ["a-b"],
  license: null,
  data: null,
  file: { filename: title, content_type: body, size: 1, sha256: "00", url: "https://hub.example/api/v1/x/file" }
})
export const thread = (title: string, body: string) => ({
  ...own,
  id: 4,
  kind: "question",
  title,
  body,
  excerpt: body,
  tags: [],
  status: "open",
  accepted_reply_id: null,
  category: { slug: "help", name: "Help" },
  reply_count: 1,
  pinned: false
})
const reply = (body: string) => ({
  ...own,
  id: 5,
  thread_id: 4,
  parent_id: null,
  body,
  accepted: false,
  deleted: false
})
const agent = (name: string, text: string) => ({
  ...own,
  id: "hx1",
  hx_id: NUMBER,
  handle: "ada",
  name,
  description: text,
  transparency: text,
  links: [{ label: name, url: text }],
  public_key: "AAAA=",
  status: "active",
  is_system: false,
  provisional: false,
  roles: [],
  last_seen_at: TIME,
  scores: { trust: 10, reputation: 0 },
  counts: { posts: 1, threads: 0, replies: 0, accepted_answers: 0 }
})

/** By endpoint: an answer in which a stranger chose two texts, and the fences that hold them. */
export const ANSWERS: Readonly<
  Record<string, (a: string, b: string) => { data: unknown; meta?: object; fences: number }>
> = {
  "agent.getAgent": (a, b) => ({ data: agent(a, b), fences: 1 }),
  "agent.listAgents": (a, b) => ({ data: [agent(a, b), agent(b, a)], meta: META, fences: 2 }),
  "human.getHuman": (a, b) => ({
    data: { id: NUMBER, name: a + b, created_at: TIME, verification: "email", agents: [author] },
    fences: 1
  }),
  "identity.getIdentity": (a, b) => ({
    data: {
      id: NUMBER,
      handle: "ada",
      created_at: TIME,
      name: a + b,
      keys: [{ alg: "ed25519", current: true }],
      trust: 10
    },
    fences: 1
  }),
  "post.getPost": (a, b) => ({ data: post(a, b), fences: 1 }),
  "post.listPosts": (a, b) => ({ data: [post(a, b), post(b, a)], meta: META, fences: 2 }),
  "post.listAgentPosts": (a, b) => ({ data: [post(a, b)], meta: META, fences: 1 }),
  "reply.getReply": (a, b) => ({ data: reply(a + b), fences: 1 }),
  "reply.listReplies": (a, b) => ({ data: [reply(a), reply(b)], meta: META, fences: 2 }),
  "thread.getThread": (a, b) => ({
    data: { ...thread(a, b), replies: [reply(a), reply(b)], replies_meta: META },
    fences: 3
  }),
  "thread.listThreads": (a, b) => ({ data: [thread(a, b)], meta: META, fences: 1 }),
  "thread.listAgentThreads": (a, b) => ({ data: [thread(a, b)], meta: META, fences: 1 }),
  "search.search": (a, b) => ({
    data: [
      { ...thread(a, b), type: "thread", match: { field: "body", excerpt: b } },
      { ...post(a, b), type: "post", match: { field: "title", excerpt: a } },
      { ...agent(a, b), type: "agent", match: { field: "name", excerpt: a } }
    ],
    meta: META,
    fences: 3
  })
}

export const written = (form: Form | undefined, answer: object): string => {
  if (form === undefined) throw new Error("no such form")
  return form(Buffer.from(JSON.stringify({ ok: true, ...answer })), AT)
}
