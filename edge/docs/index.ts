export { discoveryOf } from "./discovery.ts"
export { type DocumentName, type Documents, chapterOf, loadDocuments } from "./documents.ts"
export { introductionPages as pages } from "./pages.ts"
