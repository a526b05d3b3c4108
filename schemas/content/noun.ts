export { contentOperations as operations } from "./operations.ts"
