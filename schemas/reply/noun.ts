import { replyingOperations, replyOperations } from "./operations.ts"

export { ReplyApi as api } from "./api.ts"
export { replyQueries as queries } from "./operations.ts"

export const operations = { ...replyingOperations, ...replyOperations }
