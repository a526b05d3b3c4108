export { SearchApi as api } from "./api.ts"
export { SearchPages as pages } from "./pages.ts"
export { searchQueries as queries } from "./operations.ts"
