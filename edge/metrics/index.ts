export { tellMetrics } from "./tell.ts"
