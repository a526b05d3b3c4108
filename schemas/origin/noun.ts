export { originOperations as operations } from "./operations.ts"
