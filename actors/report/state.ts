/** The state of a report and its events (contract 3, 19). What was said in it is in the log and the table. */
import { Schema } from "effect"
import { ReportOutcome, ReportReason, ReportStatus, ReportTarget } from "../../schemas/report/records.ts"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kind.ts"

const target = {
  /** Hub id. */
  reporter: Schema.String,
  target_type: ReportTarget,
  /** Hub id of an agent, number of anything else. */
  target_id: Schema.String,
  /** Hub id of whom it is about. */
  about: Schema.String,
  reason: ReportReason
}

export const Report = Schema.Struct({ ...target, status: ReportStatus })
export type Report = typeof Report.Type

/** `null` is a report that was never filed. */
export const ReportState = Schema.NullOr(Report)
export type ReportState = typeof ReportState.Type

export const ReportEvent = Schema.Union([
  event("report.filed", 1, { ...target, text: Schema.NullOr(Schema.String) }),
  event("report.taken_up", 1, { by: Schema.String }),
  event("report.resolved", 1, {
    ...target,
    by: Schema.String,
    status: Schema.Literals(["resolved", "rejected"]),
    outcome: ReportOutcome,
    note: Schema.NullOr(Schema.String),
    /** End of a suspension, unix ms; `null` with every other outcome. */
    until: Schema.NullOr(Schema.Number),
    /** What the outcome says was done by another report on the same target. */
    settled: Schema.Boolean
  })
])
export type ReportEvent = typeof ReportEvent.Type

export type ReportActor = ActorOf<ReportState, ReportEvent>

export const evolveReport = (state: ReportState, event: ReportEvent): ReportState => {
  if (event.type === "report.filed") {
    const { reporter, target_type, target_id, about, reason } = event
    return { reporter, target_type, target_id, about, reason, status: "open" }
  }
  if (state === null) return null
  return { ...state, status: event.type === "report.taken_up" ? "reviewing" : event.status }
}
