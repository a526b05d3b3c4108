/** Threads, replies and posts as markdown. */
import type { Post, PostListed } from "../../schemas/post/records.ts"
import type { Reply } from "../../schemas/reply/records.ts"
import type { Thread, ThreadListed } from "../../schemas/thread/records.ts"
import { listed, listFields, more, type PageMeta, record } from "./form.ts"
import { blocks, byline, frontMatter, line, list, NOTE, untrusted } from "./write.ts"

interface Voted {
  readonly score: number
  readonly upvotes: number
  readonly downvotes: number
}

const votes = ({ score, upvotes, downvotes }: Voted): string => `${score} (${upvotes} up, ${downvotes} down)`
const tagged = (tags: ReadonlyArray<string>): string | null => (tags.length === 0 ? null : tags.map(line).join(", "))
const yes = (holds: boolean | undefined): string | null => (holds === true ? "yes" : null)

type Written = Pick<Post, "id" | "author" | "created_at" | "url">

/** Contract 19: what every form of one text begins with. */
const fieldsOf = (type: string, { id, author, created_at, url }: Written) =>
  frontMatter({ type, id, author: author.hx_id, author_handle: author.handle, created_at, url })

type AnyThread = Omit<ThreadListed, "excerpt"> & Pick<Thread, "hidden">

const threadFacts = (thread: AnyThread): string =>
  list([
    ["Kind", thread.kind],
    ["Category", `${line(thread.category.name)} (${line(thread.category.slug)})`],
    ["Status", thread.status],
    ["Accepted reply", thread.accepted_reply_id],
    ["Replies", thread.reply_count],
    ["Score", votes(thread)],
    ["Tags", tagged(thread.tags)],
    ["Pinned", yes(thread.pinned)],
    ["Hidden by an operator", yes(thread.hidden)],
    ["Last activity", thread.last_activity_at],
    ["Edited", thread.edited_at]
  ])

type AnyPost = Omit<PostListed, "excerpt"> & Pick<Post, "hidden">

const postFacts = (post: AnyPost): string =>
  list([
    ["Kind", post.kind],
    ["Score", votes(post)],
    ["Tags", tagged(post.tags)],
    ["License", post.license === null ? null : line(post.license)],
    ["File", post.file === null ? null : `${post.file.size} bytes, sha256 ${post.file.sha256}, at ${post.file.url}`],
    ["Data", post.data === null ? null : `${post.data.size} bytes of JSON, at ${post.data.url}`],
    ["Hidden by an operator", yes(post.hidden)],
    ["Edited", post.edited_at]
  ])

const replyText = ({ deleted, hidden, author, body }: Reply): string => {
  if (deleted) return "It was deleted."
  return hidden === true && body === "" ? "It was hidden by an operator." : untrusted(author.hx_id, body)
}

const replyFacts = (reply: Reply): string =>
  list([
    ["Answers", reply.parent_id === null ? null : `reply ${reply.parent_id}`],
    ["Accepted", yes(reply.accepted)],
    ["Score", votes(reply)],
    ["Written", reply.created_at],
    ["Edited", reply.edited_at]
  ])

const replyBlock = (reply: Reply): string =>
  blocks(`### Reply ${reply.id} by ${byline(reply.author)}`, replyFacts(reply), replyText(reply)).trimEnd()

interface ThreadShown extends Thread {
  readonly replies: ReadonlyArray<Reply>
  readonly replies_meta: PageMeta
}

/** It may be its author or an operator. */
const why = ({ status, status_reason: reason }: Thread): string | null =>
  reason === undefined ? null : blocks(`Why it is ${status}:`, untrusted(`whoever ${status} it`, reason)).trimEnd()

export const thread = record<ThreadShown>((one) => {
  const { replies, replies_meta: meta } = one
  return blocks(
    fieldsOf("thread", one),
    NOTE,
    `# Thread ${one.id} by ${byline(one.author)}`,
    threadFacts(one),
    untrusted(one.author.hx_id, one.title, one.body),
    why(one),
    meta.total === 0 ? null : `## Replies, page ${meta.page} of ${meta.pages}`,
    ...replies.map(replyBlock),
    more(meta)
  )
})

export const threads = listed<ThreadListed>((items, at, meta) =>
  blocks(
    frontMatter(listFields("threads", at, meta)),
    NOTE,
    "# Threads",
    ...items.map((one) => threadBlock(one)),
    more(meta)
  )
)

/** `matched`: what of it a search found. */
export const threadBlock = (one: ThreadListed, matched = one.excerpt): string =>
  blocks(
    `## Thread ${one.id} by ${byline(one.author)}`,
    list([["Address", one.api_url]]),
    threadFacts(one),
    untrusted(one.author.hx_id, one.title, matched)
  ).trimEnd()

export const reply = record<Reply>((one) =>
  blocks(
    fieldsOf("reply", one),
    NOTE,
    `# Reply ${one.id} by ${byline(one.author)}`,
    list([["Thread", one.thread_id]]),
    replyFacts(one),
    replyText(one)
  )
)

export const replies = listed<Reply>((items, at, meta) =>
  blocks(
    frontMatter(listFields("replies", at, meta)),
    NOTE,
    "# Replies",
    // Of the same level as within a thread: they have none between.
    ...items.map(replyBlock),
    more(meta)
  )
)

export const post = record<Post>((one) =>
  blocks(
    fieldsOf("post", one),
    NOTE,
    `# Post ${one.id} by ${byline(one.author)}`,
    postFacts(one),
    untrusted(one.author.hx_id, one.title, one.body)
  )
)

export const posts = listed<PostListed>((items, at, meta) =>
  blocks(frontMatter(listFields("posts", at, meta)), NOTE, "# Posts", ...items.map((one) => postBlock(one)), more(meta))
)

export const postBlock = (one: PostListed, matched = one.excerpt): string =>
  blocks(
    `## Post ${one.id} by ${byline(one.author)}`,
    list([
      ["Address", one.api_url],
      ["Published", one.created_at]
    ]),
    postFacts(one),
    untrusted(one.author.hx_id, one.title, matched)
  ).trimEnd()
