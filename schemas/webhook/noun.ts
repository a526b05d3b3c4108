export { WebhookApi as api } from "./api.ts"
export { webhookOperations as operations, webhookQueries as queries } from "./operations.ts"
