/** Renders replies as markdown. */
import type { Reply } from "../../schemas/reply/records.ts"
import { textFields, votes, yes } from "../markdown/content.ts"
import { type Forms, listed, listFields, more, record } from "../markdown/form.ts"
import { blocks, byline, frontMatter, list, NOTE, untrusted } from "../markdown/write.ts"

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

export const replyBlock = (reply: Reply): string =>
  blocks(`### Reply ${reply.id} by ${byline(reply.author)}`, replyFacts(reply), replyText(reply)).trimEnd()

const reply = record<Reply>((one) =>
  blocks(
    textFields("reply", one),
    NOTE,
    `# Reply ${one.id} by ${byline(one.author)}`,
    list([["Thread", one.thread_id]]),
    replyFacts(one),
    replyText(one)
  )
)

const replies = listed<Reply>((items, at, meta) =>
  blocks(
    frontMatter(listFields("replies", at, meta)),
    NOTE,
    "# Replies",
    // Replies have headings of level 3, as within a thread.
    ...items.map(replyBlock),
    more(meta)
  )
)

export const replyForms = { "reply.listReplies": replies, "reply.getReply": reply } satisfies Forms
