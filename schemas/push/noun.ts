export { pushOperations as operations } from "./operations.ts"
