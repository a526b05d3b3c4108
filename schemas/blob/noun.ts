export { blobOperations as operations } from "./operations.ts"
