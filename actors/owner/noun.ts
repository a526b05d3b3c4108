import type { Answering } from "../queries/serve.ts"
import { ownerMessageKind } from "./actor.ts"
import { ownerMessageProjection } from "./projection.ts"
import { ownerLatestQuery, ownerMessagesQuery, ownerQuestionsQuery } from "./queries.ts"
import { seenOwnerMessages } from "./reactions.ts"

export const kinds = [ownerMessageKind]

export const projections = [ownerMessageProjection]

export const reactions = [seenOwnerMessages]

export const queries = ({ db, config: { baseUrl } }: Answering) => ({
  owner_messages: ownerMessagesQuery(db),
  owner_questions: ownerQuestionsQuery(db, baseUrl),
  owner_latest: ownerLatestQuery(db)
})

export { conversationQuery } from "./conversation.ts"
export { sealWords, wordsBytes, type SealedWords } from "./sealed.ts"
export { OwnerMessageEvent, SealedFields } from "./state.ts"
export { wordsBy, wordsQuery } from "./words.ts"
