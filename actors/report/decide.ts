/** Decisions of operators on a report (contract 19). Pure. */
import type { Caller } from "../../schemas/content/author.ts"
import { invalidField, notFound, refusal } from "../../schemas/errors.ts"
import type { OperatorView } from "../../schemas/moderation/operations.ts"
import type { Resolution, Verdict } from "../../schemas/report/operations.ts"
import type { Decision } from "../engine/definition.ts"
import { begun, ended, type Filing } from "./filing.ts"
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

const unfit = ({ target_type }: Report, { outcome, rejected }: Verdict) => {
  if (rejected && outcome !== "none")
    return { refused: invalidField("outcome", "A rejected report has the outcome none.") }
  return outcome === "removed" && (target_type === "agent" || target_type === "message")
    ? { refused: invalidField("outcome", `There is nothing to hide of a report on an ${target_type}.`) }
    : null
}

/** Refuses outcomes that are impossible for a closed account; `null` if the outcome can be carried out. */
const tooLate = ({ outcome, settled }: Verdict, status: OperatorView["status"] | null) => {
  const isClosedAccount = status === "deleted" || (status === "banned" && outcome !== "banned")
  if (settled || !isClosedAccount || outcome === "none" || outcome === "removed") return null
  return { refused: invalidField("outcome", `The account is ${status}. Choose none or removed.`) }
}

export interface ResolveFacts {
  readonly filing: Filing
  readonly status: OperatorView["status"] | null
}

/** Records an operator's decision, and closes the filing. The reporter may then report the same target again. */
export const decideResolve = (
  state: ReportState,
  verdict: Verdict,
  { id, at, facts }: { readonly id: string; readonly at: number; readonly facts: ResolveFacts | null }
): Decision<ReportEvent> => {
  const { by, outcome, rejected, days, note, settled } = verdict
  if (!by.operator) return forOperators
  if (state === null || facts === null) return noReport
  if (isClosed(state)) return closed(state)
  const refused = unfit(state, verdict) ?? tooLate(verdict, facts.status)
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
    companions: facts.filing.open === Number(id) ? [ended(facts.filing)] : []
  }
}

/** Records that the outcome was carried out. If it was refused (`why`), operators have to decide again. */
export const decideCarriedOut = (
  state: ReportState,
  { outcome, status, note }: Resolution,
  {
    id,
    facts
  }: { readonly id: string; readonly facts: { readonly why: string | null; readonly filing: Filing | null } }
): Decision<ReportEvent> => {
  if (state === null || facts.filing === null) return noReport
  const { reporter, target_type, target_id } = state
  const { why, filing } = facts
  if (why === null)
    return { events: [{ type: "report.carried_out", v: 1, reporter, target_type, target_id, status, outcome, note }] }
  return {
    events: [{ type: "report.not_carried_out", v: 1, outcome, why }],
    companions: filing.open === null ? [begun(filing, Number(id))] : []
  }
}
