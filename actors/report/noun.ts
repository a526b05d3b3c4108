import type { Answering } from "../queries/serve.ts"
import { reportKind } from "./actor.ts"
import { filingKind } from "./filing.ts"
import { reportProjection } from "./projection.ts"
import { myReportsQuery, reportQuery, reportsQuery } from "./queries.ts"
import { resolvedReports } from "./reactions.ts"

export const kinds = [reportKind, filingKind]

export const projections = [reportProjection]

export const reactions = [resolvedReports]

export const queries = ({ db, config: { baseUrl } }: Answering) => ({
  my_reports: myReportsQuery(db),
  reports: reportsQuery(db, baseUrl),
  report: reportQuery(db, baseUrl)
})

export { begun, filingOf, type Filing } from "./filing.ts"
export { ReportEvent } from "./state.ts"
