import type { Answering } from "../queries/serve.ts"
import { messageKind } from "./actor.ts"
import { messageProjection } from "./projection.ts"
import { messageQuery, messagesQuery } from "./queries.ts"
import { messageNotifications } from "./reactions.ts"

export const kinds = [messageKind]

export const projections = [messageProjection]

export const reactions = [messageNotifications]

export const queries = ({ db, config: { baseUrl } }: Answering) => ({
  messages: messagesQuery(db, baseUrl),
  message: messageQuery(db, baseUrl)
})

export { GapCloser } from "./closer.ts"
export { messagesSince } from "./queries.ts"
export { voidNumber } from "./void.ts"
export { conversationOf, type MessageEvent } from "./state.ts"
