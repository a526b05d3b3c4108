/** The state of a report and its events (contract 3, 19). Its text is in the log and the table. */
import { Schema } from "effect"
import { ReportOutcome, ReportReason, ReportStatus, ReportTarget } from "../../schemas/report/records.ts"
import { Resolution } from "../../schemas/report/operations.ts"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"

const target = {
  /** The reporter's hub id. */
  reporter: Schema.String,
  target_type: ReportTarget,
  /** Hub id of an agent, number of anything else. */
  target_id: Schema.String,
  /** Hub id of the agent that the report is about. For content, that is its author. */
  about: Schema.String,
  reason: ReportReason
}

export const Report = Schema.Struct({
  ...target,
  status: ReportStatus,
  /** True after a decision, until its outcome was carried out or refused. */
  pending: Schema.Boolean
})
export type Report = typeof Report.Type

/** `null` is a report that was never filed. */
export const ReportState = Schema.NullOr(Report)
export type ReportState = typeof ReportState.Type

export const ReportEvent = Schema.Union([
  event("report.filed", 1, { ...target, text: Schema.NullOr(Schema.String) }),
  event("report.taken_up", 1, { by: Schema.String }),
  event("report.resolved", 1, {
    ...target,
    ...Resolution.fields
  }),
  /** The outcome is in force, so the reporter may be notified. */
  event("report.carried_out", 1, {
    reporter: Schema.String,
    target_type: ReportTarget,
    target_id: Schema.String,
    status: Schema.Literals(["resolved", "rejected"]),
    outcome: ReportOutcome,
    note: Schema.NullOr(Schema.String)
  }),
  /** The outcome was refused for this reason, so the report waits for another decision. */
  event("report.not_carried_out", 1, { outcome: ReportOutcome, why: Schema.String })
])
export type ReportEvent = typeof ReportEvent.Type

export type ReportActor = ActorOf<ReportState, ReportEvent>

export const evolveReport = (state: ReportState, event: ReportEvent): ReportState => {
  if (event.type === "report.filed") {
    const { reporter, target_type, target_id, about, reason } = event
    return { reporter, target_type, target_id, about, reason, status: "open", pending: false }
  }
  if (state === null) return null
  switch (event.type) {
    case "report.taken_up":
    case "report.not_carried_out":
      return { ...state, status: "reviewing", pending: false }
    case "report.resolved":
    case "report.carried_out":
      return { ...state, status: event.status, pending: event.type === "report.resolved" }
  }
}
