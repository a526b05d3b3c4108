export { searchForms as forms, searchPageForms as pageForms } from "./markdown.ts"
export { searchPages as pages } from "./pages.ts"
export { searchRoutes as routes } from "./routes.ts"
