import { filingOperations, reportOperations } from "./operations.ts"

export { ReportApi as api } from "./api.ts"
export { reportQueries as queries } from "./operations.ts"

export const operations = { ...filingOperations, ...reportOperations }
