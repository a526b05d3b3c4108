export { categoryOperations as operations } from "./operations.ts"
export { CategoryPages as pages } from "./pages.ts"
