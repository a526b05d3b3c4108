export { VaultApi as api } from "./api.ts"
export { operations, queries } from "./operations.ts"
