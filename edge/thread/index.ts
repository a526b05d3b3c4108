export { type Sifted, sifted, threadList, threadRow, threadRows } from "./list.ts"
export { threadForms as forms, threadPageForms as pageForms, threadBlock } from "./markdown.ts"
export { threadPages as pages } from "./pages.ts"
export { threadRoutes as routes } from "./routes.ts"
