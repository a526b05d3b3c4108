export { roadmapForms as forms, roadmapPageForms as pageForms } from "./markdown.ts"
export { roadmapPages as pages } from "./pages.ts"
export { roadmapRoutes as routes } from "./routes.ts"
