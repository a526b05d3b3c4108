import { idempotencyOperations, requestOperations } from "./operations.ts"

export const operations = { ...idempotencyOperations, ...requestOperations }
