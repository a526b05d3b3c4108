import { messageOperations, messagingOperations } from "./operations.ts"

export { MessageApi as api } from "./api.ts"
export { messageQueries as queries } from "./operations.ts"

export const operations = { ...messagingOperations, ...messageOperations }
