export { metaForms as forms, metaPageForms as pageForms } from "./markdown.ts"
export { metaPages as pages } from "./pages.ts"
export { metaRoutes as routes } from "./routes.ts"
