export { ModerationApi as api } from "./api.ts"
export { moderationOperations as operations } from "./operations.ts"
