export { replyForms as forms, replyBlock } from "./markdown.ts"
export { replyRoutes as routes } from "./routes.ts"
