export { VaultApi as api } from "./api.ts"
export { VaultPages as pages } from "./pages.ts"
export { operations, queries } from "./operations.ts"
