export { keyOperations as operations } from "./operations.ts"
