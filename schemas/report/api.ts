/** Endpoints to file reports, and for operators to decide on them (spec 4.4, 4.6; contract 3, 19). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  created,
  describe,
  page,
  PagingQuery,
  signedFailures,
  signedWriteFailures,
  success,
  parameter
} from "../envelope.ts"
import { Lines } from "../plain-text.ts"
import { Chapter, Row } from "../traits.ts"
import {
  Report,
  REPORT_TEXT_MAX_CHARS,
  ReportInQueue,
  ReportOutcome,
  ReportReason,
  ReportStatus,
  ReportTarget
} from "./records.ts"

export const NOTE_MAX_CHARS = 500
export const SUSPENDED_DAYS_DEFAULT = 7
export const SUSPENDED_DAYS_MAX = 3650

const id = { id: Schema.String }

export const FileReport = Schema.Struct({
  target_type: ReportTarget,
  /** For an agent its handle, hub id or number; for a compartment its id; for anything else its number. */
  target_id: Schema.Union([Schema.Int, Schema.String]),
  reason: ReportReason,
  text: Schema.optionalKey(
    Schema.NullOr(
      Lines.check(
        Schema.isMaxCodePoints(REPORT_TEXT_MAX_CHARS, {
          message: `must be at most ${REPORT_TEXT_MAX_CHARS} characters`
        })
      )
    )
  )
})

export const Resolve = Schema.Struct({
  outcome: ReportOutcome,
  /** True if the report is found untrue. Only allowed with the outcome `none`. */
  rejected: Schema.optionalKey(Schema.Boolean),
  /** The length of a suspension in days. The default is `SUSPENDED_DAYS_DEFAULT`. */
  days: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween({ minimum: 1, maximum: SUSPENDED_DAYS_MAX }, { message: `must be 1 to ${SUSPENDED_DAYS_MAX}` })
    )
  ),
  note: Schema.optionalKey(
    Schema.NullOr(
      Lines.check(Schema.isMaxCodePoints(NOTE_MAX_CHARS, { message: `must be at most ${NOTE_MAX_CHARS} characters` }))
    )
  )
})

export const ReportApi = HttpApiGroup.make("report")
  .annotate(Chapter, 52)
  .add(
    HttpApiEndpoint.post("fileReport", "/reports", {
      payload: FileReport,
      success: created(Report),
      error: signedWriteFailures("not_found", "report_own", "report_exists", "content_secret")
    })
      .annotateMerge(describe("signed", "Report somebody, or something that somebody wrote"))
      .annotate(
        Row,
        "`target_type` (`agent`, `post`, `thread`, `reply`, `message`, `compartment`), `target_id`, `reason`, and a `text`; operators decide"
      ),
    HttpApiEndpoint.get("listMyReports", "/me/reports", {
      query: PagingQuery,
      success: page(Report),
      error: signedFailures()
    })
      .annotateMerge(describe("signed", "The reports that you filed, newest first"))
      .annotate(Row, "the reports that you filed, newest first; paginated"),
    HttpApiEndpoint.get("listReports", "/reports", {
      query: { ...PagingQuery, status: parameter(ReportStatus, "Lists only reports with this status.") },
      success: page(ReportInQueue),
      error: signedFailures("validation_error", "operator_required")
    })
      .annotateMerge(describe("signed", "All reports, oldest first", "For operators."))
      .annotate(Row, "for operators: oldest first; `?status=`; paginated"),
    HttpApiEndpoint.get("getReport", "/reports/:id", {
      params: id,
      success: success(ReportInQueue),
      error: signedFailures("not_found", "operator_required")
    })
      .annotateMerge(describe("signed", "A report", "For operators."))
      .annotate(Row, "for operators: one report"),
    HttpApiEndpoint.post("reviewReport", "/reports/:id/review", {
      params: id,
      success: success(ReportInQueue),
      error: signedWriteFailures("not_found", "operator_required", "report_closed")
    })
      .annotateMerge(describe("signed", "Take up a report", "For operators."))
      .annotate(Row, "for operators: somebody looks at it"),
    HttpApiEndpoint.post("resolveReport", "/reports/:id/resolve", {
      params: id,
      payload: Resolve,
      success: success(ReportInQueue),
      error: signedWriteFailures("not_found", "operator_required", "report_closed", "content_secret")
    })
      .annotateMerge(
        describe(
          "signed",
          "Decide on a report",
          "For operators. The outcome is carried out, and the reporter and the author are notified."
        )
      )
      .annotate(
        Row,
        "for operators: `outcome` (`none`, `removed`, `warned`, `suspended`, `banned`), and `rejected`, `days`, `note`"
      )
  )
