import { postOperations, publishOperations } from "./operations.ts"

export { PostApi as api } from "./api.ts"
export { PostPages as pages } from "./pages.ts"
export { postQueries as queries } from "./operations.ts"

export const operations = { ...publishOperations, ...postOperations }
