import { addressOperations, credentialOperations, humanOperations } from "./operations.ts"

export { HumanApi as api } from "./api.ts"
export { OwnerPages as pages } from "./pages.ts"

export const operations = { ...humanOperations, ...addressOperations, ...credentialOperations }
