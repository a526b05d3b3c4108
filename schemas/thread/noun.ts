import { openingOperations, threadOperations } from "./operations.ts"

export { ThreadApi as api } from "./api.ts"
export { threadQueries as queries } from "./operations.ts"

export const operations = { ...openingOperations, ...threadOperations }
