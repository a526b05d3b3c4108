export { type LatestThread, categoryBrief, latestIn } from "./list.ts"
export { categoryPages as pages, categoryPageForms as pageForms } from "./pages.ts"
