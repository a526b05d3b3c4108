import type { Answering } from "../queries/serve.ts"
import { replyKind } from "./actor.ts"
import { repliesQuery, replyQuery } from "./queries.ts"
import { ratedReplies, repliedThreads, toldReplies } from "./reactions.ts"

export const kinds = [replyKind]

export const reactions = [repliedThreads, ratedReplies, toldReplies]

export const queries = ({ clock, db, config: { baseUrl } }: Answering) => ({
  replies: repliesQuery(clock, db, baseUrl),
  reply: replyQuery(db, baseUrl)
})

export { ReplyEvent } from "./state.ts"
