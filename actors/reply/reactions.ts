/** What becomes of a reply means for its thread and for its author. */
import { on, reactions, tell } from "../reactions/reaction.ts"
import { ReplyEvent } from "./state.ts"

/** The thread knows which replies stand. */
export const repliedThreads = reactions(
  "thread_replied",
  on("reply", ReplyEvent, (event, { id }) => {
    if (event.type !== "reply.written" && event.type !== "reply.deleted") return []
    const { thread, author } = event
    const op = event.type === "reply.written" ? "thread.replied" : "thread.reply_gone"
    return [tell(op, String(thread), { reply: Number(id), author })]
  })
)

export const ratedReplies = reactions(
  "reply_rated",
  on("reply", ReplyEvent, (event, { id }) => {
    const target = { target_type: "reply", target_id: Number(id) } as const
    if (event.type === "reply.voted") {
      const { author, before, value } = event
      return [tell("vote.rated", author, { ...target, before, value })]
    }
    if (event.type !== "reply.deleted") return []
    const { author, upvotes, downvotes } = event
    return [
      tell("content.count", author, { of: "replies", by: -1 }),
      ...(upvotes + downvotes === 0 ? [] : [tell("vote.unrated", author, { ...target, upvotes, downvotes })])
    ]
  })
)
