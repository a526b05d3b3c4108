export { VaultServiceApi as api } from "./api.ts"
