/** Decisions of operators on a report (contract 19). Pure. */
import type { Caller } from "../../schemas/content/author.ts"
import { invalidField, notFound, refusal } from "../../schemas/errors.ts"
import type { Verdict } from "../../schemas/report/operations.ts"
import type { Decision } from "../engine/definition.ts"
import { ended, type Filing } from "./filing.ts"
import type { Report, ReportEvent, ReportState } from "./state.ts"

const DAY_MS = 86_400_000

const noReport = { refused: notFound("report") }
const forOperators = { refused: refusal("operator_required", "Reports are for operators.") }

const isClosed = ({ status }: Report): boolean => status === "resolved" || status === "rejected"
const closed = ({ status }: Report) => ({
  refused: refusal("report_closed", `This report is ${status}.`, { status })
})

export const decideReview = (state: ReportState, { by }: { readonly by: Caller }): Decision<ReportEvent> => {
  if (!by.operator) return forOperators
  if (state === null) return noReport
  if (isClosed(state)) return closed(state)
  return state.status === "reviewing" ? { events: [] } : { events: [{ type: "report.taken_up", v: 1, by: by.agent }] }
}

/** What stands against an outcome; `null` where nothing does. */
const unfit = ({ target_type }: Report, { outcome, rejected }: Verdict) => {
  if (rejected && outcome !== "none")
    return { refused: invalidField("outcome", "What is rejected has the outcome none.") }
  return outcome === "removed" && (target_type === "agent" || target_type === "message")
    ? { refused: invalidField("outcome", `There is nothing to hide of a report on an ${target_type}.`) }
    : null
}

/** Who filed it may file another from then on. */
export const decideResolve = (
  state: ReportState,
  verdict: Verdict,
  { at, facts: filing }: { readonly at: number; readonly facts: Filing | null }
): Decision<ReportEvent> => {
  const { by, outcome, rejected, days, note, settled } = verdict
  if (!by.operator) return forOperators
  if (state === null || filing === null) return noReport
  if (isClosed(state)) return closed(state)
  const refused = unfit(state, verdict)
  if (refused !== null) return refused
  const { reporter, target_type, target_id, about, reason } = state
  const until = outcome === "suspended" ? at + days * DAY_MS : null
  return {
    events: [
      {
        type: "report.resolved",
        v: 1,
        reporter,
        target_type,
        target_id,
        about,
        reason,
        by: by.agent,
        status: rejected ? "rejected" : "resolved",
        outcome,
        note,
        until,
        settled
      }
    ],
    also: [ended(filing)]
  }
}
