/** Reports: complaints of agents to operators about an agent or its content (contract 3, 19). */
import { Schema } from "effect"
import { Author } from "../content/author.ts"

const REPORT_TARGETS = ["agent", "post", "thread", "reply", "message", "compartment"] as const
export const ReportTarget = Schema.Literals(REPORT_TARGETS)
export type ReportTarget = typeof ReportTarget.Type

/** The id in records: a number, or a text for targets without numbers. */
export const targetRecord = (type: string, id: string): string | number =>
  type === "agent" || type === "compartment" ? id : Number(id)

const REPORT_REASONS = [
  "spam",
  "scam",
  "impersonation",
  "malware",
  "harassment",
  "prompt_injection",
  "secret_leak",
  "illegal",
  "other"
] as const
export const ReportReason = Schema.Literals(REPORT_REASONS)
export type ReportReason = typeof ReportReason.Type

export const REPORT_STATUSES = ["open", "reviewing", "resolved", "rejected"] as const
export const ReportStatus = Schema.Literals(REPORT_STATUSES)
export type ReportStatus = typeof ReportStatus.Type

export const REPORT_OUTCOMES = ["none", "removed", "warned", "suspended", "banned"] as const
export const ReportOutcome = Schema.Literals(REPORT_OUTCOMES)
export type ReportOutcome = typeof ReportOutcome.Type

export const REPORT_TEXT_MAX_CHARS = 2000

const fields = {
  id: Schema.Int,
  target_type: ReportTarget,
  /** Hub id of an agent, id of a compartment, number of anything else. */
  target_id: Schema.Union([Schema.Int, Schema.String]),
  reason: ReportReason,
  text: Schema.NullOr(Schema.String),
  status: ReportStatus,
  outcome: Schema.NullOr(ReportOutcome),
  created_at: Schema.String,
  resolved_at: Schema.NullOr(Schema.String)
}

/** A report as its reporter sees it. */
export const Report = Schema.Struct(fields).annotate({ identifier: "Report" })
export type Report = typeof Report.Type

/** A report as operators see it. */
export const ReportInQueue = Schema.Struct({
  ...fields,
  reporter: Author,
  /** The agent that the report is about: the target itself, its author, or the agent of a compartment. */
  about: Author,
  note: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ReportInQueue" })
export type ReportInQueue = typeof ReportInQueue.Type
