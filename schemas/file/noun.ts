export { FileApi as api } from "./api.ts"
