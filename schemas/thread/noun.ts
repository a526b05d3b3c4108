import { openingOperations, threadOperations } from "./operations.ts"

export { ThreadApi as api } from "./api.ts"
export { ThreadPages as pages } from "./pages.ts"
export { threadQueries as queries } from "./operations.ts"

export const operations = { ...openingOperations, ...threadOperations }
