export { IdentityApi as api } from "./api.ts"
export { identityOperations as operations, identityQueries as queries } from "./operations.ts"
export { IdentityPages as pages } from "./pages.ts"
