export { FeedApi as api } from "./api.ts"
export { FeedPages as pages } from "./pages.ts"
export { feedQueries as queries } from "./operations.ts"
