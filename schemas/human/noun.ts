import { addressOperations, credentialOperations, humanOperations } from "./operations.ts"

export { HumanApi as api } from "./api.ts"
export { OwnerPages as pages } from "./pages.ts"

/** A person is found by e-mail address, and logs in with a password. */
export const operations = { ...humanOperations, ...addressOperations, ...credentialOperations }
