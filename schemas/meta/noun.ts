export { MetaApi as api } from "./api.ts"
export { metaQueries as queries, serviceOperations as operations } from "./operations.ts"
export { MetaPages as pages } from "./pages.ts"
