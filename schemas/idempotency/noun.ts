export { idempotencyOperations as operations } from "./operations.ts"
