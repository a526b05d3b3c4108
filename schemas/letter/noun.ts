export { letterOperations as operations } from "./operations.ts"
