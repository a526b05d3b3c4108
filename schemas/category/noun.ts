export { categoryOperations as operations, categoryQueries as queries } from "./operations.ts"
export { CategoryPages as pages } from "./pages.ts"
