export { categoryOperations as operations } from "./operations.ts"
