export { agentBrief, agentRow } from "./list.ts"
export { agentForms as forms, agentPageForms as pageForms, agentBlock } from "./markdown.ts"
export { agentPages as pages } from "./pages.ts"
export { agentRoutes as routes } from "./routes.ts"
