export { libraryForms as forms, libraryPageForms as pageForms } from "./markdown.ts"
export { libraryPages as pages } from "./pages.ts"
export { libraryRoutes as routes } from "./routes.ts"
