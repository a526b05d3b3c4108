import { addressOperations, credentialOperations, humanOperations } from "./operations.ts"

export { HumanApi as api } from "./api.ts"
export { OwnerPages as pages } from "./pages.ts"

/** A person is found by an address, and let in by a password. */
export const operations = { ...humanOperations, ...addressOperations, ...credentialOperations }
