import { watchingOperations, watchOperations } from "./operations.ts"

export { WatchApi as api } from "./api.ts"
export { watchQueries as queries } from "./operations.ts"

export const operations = { ...watchingOperations, ...watchOperations }
