export { Marks } from "./marks.ts"
export { Pipeline } from "./pipeline.ts"
export { Reused } from "./reused.ts"
export { serve } from "./server.ts"
