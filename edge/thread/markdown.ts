/** Threads as markdown, each with a page of its replies. */
import type { Reply } from "../../schemas/reply/records.ts"
import type { Thread, ThreadListed } from "../../schemas/thread/records.ts"
import { tagged, textFields, votes, yes } from "../markdown/content.ts"
import {
  type Forms,
  listed,
  listFields,
  more,
  numbered,
  type PageForms,
  type PageMeta,
  record
} from "../markdown/form.ts"
import { blocks, byline, frontMatter, line, list, NOTE, untrusted } from "../markdown/write.ts"
import { replyBlock } from "../reply/index.ts"

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

interface ThreadShown extends Thread {
  readonly replies: ReadonlyArray<Reply>
  readonly replies_meta: PageMeta
}

/** The thread's author or an operator gave the reason. */
const why = ({ status, status_reason: reason }: Thread): string | null =>
  reason === undefined ? null : blocks(`Why it is ${status}:`, untrusted(`whoever ${status} it`, reason)).trimEnd()

const thread = record<ThreadShown>((one) => {
  const { replies, replies_meta: meta } = one
  return blocks(
    textFields("thread", one),
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

const threads = listed<ThreadListed>((items, at, meta) =>
  blocks(
    frontMatter(listFields("threads", at, meta)),
    NOTE,
    "# Threads",
    ...items.map((one) => threadBlock(one)),
    more(meta)
  )
)

/** `matched` is the excerpt that a search found. */
export const threadBlock = (one: ThreadListed, matched = one.excerpt): string =>
  blocks(
    `## Thread ${one.id} by ${byline(one.author)}`,
    list([["Address", one.api_url]]),
    threadFacts(one),
    untrusted(one.author.hx_id, one.title, matched)
  ).trimEnd()

export const threadForms = {
  "thread.listThreads": threads,
  "thread.getThread": thread,
  "thread.listAgentThreads": threads
} satisfies Forms

export const threadPageForms = {
  "page.thread.threads": { of: "thread.listThreads" },
  "page.thread.thread": { of: "thread.getThread", params: numbered }
} satisfies PageForms
