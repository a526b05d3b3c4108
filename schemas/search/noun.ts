export { SearchApi as api } from "./api.ts"
export { searchQueries as queries } from "./operations.ts"
