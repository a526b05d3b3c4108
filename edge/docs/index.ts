export { discoveryOf } from "./discovery.ts"
export { chapterOf, loadDocuments, type DocumentName, type Documents } from "./documents.ts"
export { securityText } from "./introduction.ts"
