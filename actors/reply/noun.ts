import type { Answering } from "../queries/serve.ts"
import { replyKind } from "./actor.ts"
import { repliesQuery, replyQuery } from "./queries.ts"
import { ratedReplies, repliedThreads, replyNotifications } from "./reactions.ts"

export const kinds = [replyKind]

export const reactions = [repliedThreads, ratedReplies, replyNotifications]

export const queries = ({ clock, db, config: { baseUrl } }: Answering) => ({
  replies: repliesQuery(clock, db, baseUrl),
  reply: replyQuery(db, baseUrl)
})

export { ReplyEvent } from "./state.ts"
