/** Decisions on filing a report, and on upheld reports about the agent. Pure. */
import { type Refusal, refusal } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { FiledReport, filingOperations } from "../../../schemas/report/operations.ts"
import { targetRecord } from "../../../schemas/report/records.ts"
import type { Decision, DecideContext } from "../../engine/definition.ts"
import { begun, type Filing, type ReportEvent } from "../../report/noun.ts"
import { unlessClosed, unlessSuspended, windowRefusal } from "../decide.ts"
import { type NoticeFacts, notified } from "../notification/notify.ts"
import { scoreEntries } from "../score/entries.ts"
import type { Agent, AgentEvent } from "../state.ts"

interface FilingFacts {
  readonly number: number
  readonly filing: Filing
  /** Hub id of the reported agent. */
  readonly about: string
}

interface Filed {
  readonly number: number
}

export const own: Refusal = refusal("report_own", "Nobody reports himself.")
export const exists = (report: number): Refusal =>
  refusal("report_exists", "You have reported this, and it is not decided yet.", { existing_id: report })

/** The refusal by the daily limit. Only filed reports count, so a refused report does not use it up. */
export const tooMany = ({ reported }: Agent, at: number, limits: Limits): Refusal | null =>
  windowRefusal(
    "report",
    reported,
    at,
    limits,
    (drawn, retryAfter) => `Too many reports: ${drawn}. Try again in ${retryAfter} s.`
  )

export const decideFile = unlessSuspended(
  (
    agent,
    { target_type, target_id, reason, text }: FiledReport,
    { id: reporter, at, facts: { number, filing, about } }: DecideContext<FilingFacts>,
    limits: Limits
  ): Decision<AgentEvent, Filed> => {
    if (about === reporter) return { refused: own }
    if (filing.open !== null) return { refused: exists(filing.open) }
    const limited = tooMany(agent, at, limits)
    if (limited !== null) return { refused: limited }
    const filed: ReportEvent = { type: "report.filed", v: 1, reporter, target_type, target_id, about, reason, text }
    return {
      events: [{ type: "agent.reported", v: 1, report: number }],
      reply: { number },
      companions: [
        { kind: "report", id: String(number), expected: 0, drawn: true, events: [filed] },
        begun(filing, number)
      ]
    }
  }
)

/** The trust that an agent loses for an upheld report (contract 12). */
const TRUST_LOST = 15

type Upheld = (typeof filingOperations)["report.upheld"]["input"]["Type"]

/**
 * Takes trust once for each report. The report's actor may send the command again after the agent's actor has forgotten
 * its id, so the state remembers the report. A closed account refuses.
 */
export const decideUpheld = unlessClosed(
  (
    agent,
    { report, outcome, target_type, target_id, reason, place }: Upheld,
    { facts: { notification } }: DecideContext<NoticeFacts>
  ): Decision<AgentEvent> => {
    if (report !== undefined && agent.outcomes.includes(report)) return { events: [] }
    const target = { type: target_type, id: target_id }
    const shown = { target_type, target_id: targetRecord(target_type, target_id), reason }
    const warned = notified(notification, "moderation.warned", { ...shown, ...place })
    return {
      events: [
        ...(report === undefined ? [] : [{ type: "agent.report_upheld", v: 1, report } as const]),
        ...scoreEntries(agent, [{ score: "trust", delta: -TRUST_LOST, reason: "report_upheld", target }]),
        ...(outcome === "warned" ? [warned] : [])
      ]
    }
  }
)
