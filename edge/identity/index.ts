export { identitiesOf, type Identities } from "./identities.ts"
export type { Judge } from "./judge.ts"
export { checkDirectorySignature } from "./key-directory.ts"
export { checkVisitor, ownHost, tellsVisitor } from "./visitor.ts"
