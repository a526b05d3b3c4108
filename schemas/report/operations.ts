/**
 * Kind `agent` files reports, and gets the outcome of reports about it. Kind `report`, whose id is a number, is one
 * report.
 */
import { Schema } from "effect"
import { Caller } from "../content/author.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { Report, ReportInQueue, ReportOutcome, ReportReason, ReportStatus, ReportTarget } from "./records.ts"

const Filed = Schema.Struct({
  target_type: ReportTarget,
  /** Hub id of an agent, id of a compartment, number of anything else. */
  target_id: Schema.String,
  reason: ReportReason,
  text: Schema.NullOr(Schema.String)
})
export type FiledReport = typeof Filed.Type

/** Paths of the reported content. Without them, those of the account are meant. */
const Place = Schema.Struct({ url: Schema.String, api_url: Schema.String })
export type Place = typeof Place.Type

/**
 * Refused `not_found` for the target, `rate_limited`, or `report_own` for the agent's own content or account. Refused
 * `report_exists` with `details.existing_id` while an earlier report by the same agent on this target is not closed.
 */
export const filingOperations = operationsOf("agent", {
  "report.file": op({
    input: Filed,
    output: Schema.Struct({ id: Schema.Int, created_at: Schema.String }),
    askedBy: ["edge"]
  }),
  /** Applies a report's outcome to the agent that the report is about, and notifies the agent (contract 12, 19). */
  "report.upheld": op({
    input: Schema.Struct({
      /**
       * The report's number. The outcome counts once for each report, even if this operation is asked several times.
       * Older releases do not send it.
       */
      report: Schema.optionalKey(Schema.Int),
      outcome: Schema.Literals(["warned", "banned"]),
      target_type: ReportTarget,
      target_id: Schema.String,
      reason: Schema.String,
      place: Schema.optionalKey(Schema.NullOr(Place))
    }),
    output: Nothing,
    askedBy: []
  })
})

export const Verdict = Schema.Struct({
  by: Caller,
  outcome: ReportOutcome,
  rejected: Schema.Boolean,
  /** The days of a suspension. */
  days: Schema.Int,
  note: Schema.NullOr(Schema.String),
  /** True if another report on the same target had the same outcome already. */
  settled: Schema.Boolean
})
export type Verdict = typeof Verdict.Type

/** An operator's decision, which the report's own actor carries out. */
export const Resolution = Schema.Struct({
  by: Schema.String,
  status: Schema.Literals(["resolved", "rejected"]),
  outcome: ReportOutcome,
  note: Schema.NullOr(Schema.String),
  /** The end of a suspension in Unix ms; `null` for every other outcome. */
  until: Schema.NullOr(Schema.Number),
  /** True if another report on the same target has already had this effect. */
  settled: Schema.Boolean
})
export type Resolution = typeof Resolution.Type

/** True while a decision's outcome is neither carried out nor refused. */
const Standing = Schema.Struct({ status: ReportStatus, pending: Schema.Boolean })

/** Refused `operator_required` for everybody but operators, `report_closed` if the report was decided. */
export const reportOperations = operationsOf("report", {
  "report.review": op({ input: Schema.Struct({ by: Caller }), output: Nothing, askedBy: ["edge"] }),
  "report.resolve": op({ input: Verdict, output: Nothing, askedBy: ["edge"] }),
  /** The present status by the report's own actor. The read model may show it later. */
  "report.standing": op({ input: Nothing, output: Standing, askedBy: ["edge"] }),
  "report.carry_out": op({ input: Resolution, output: Nothing, askedBy: [] })
})

const paging = { page: Schema.Int, per_page: Schema.Int }

export const reportQueries = {
  my_reports: query({ input: Schema.Struct({ ...paging, reporter: Schema.String }), output: paged(Report) }),
  reports: query({
    input: Schema.Struct({ ...paging, status: Schema.NullOr(ReportStatus) }),
    output: paged(ReportInQueue)
  }),
  report: query({ input: Schema.Struct({ id: Schema.Int }), output: Schema.NullOr(ReportInQueue) })
}
