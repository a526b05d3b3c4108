export { postRow, postRows } from "./list.ts"
export { postForms as forms, postPageForms as pageForms, postBlock } from "./markdown.ts"
export { postPages as pages } from "./pages.ts"
export { postRoutes as routes } from "./routes.ts"
