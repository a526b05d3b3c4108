export { limitOperations as operations } from "./operations.ts"
