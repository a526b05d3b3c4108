export { webhookWorker } from "./start.ts"
