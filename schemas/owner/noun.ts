import { ownerMessageOperations, owningOperations, reachingOperations } from "./operations.ts"

export { OwnerApi as api } from "./api.ts"
export { ownerQueries as queries } from "./operations.ts"

export const operations = { ...owningOperations, ...reachingOperations, ...ownerMessageOperations }
