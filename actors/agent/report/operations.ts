/** The agent actor's operations to file a report, and for upheld reports about its agent. */
import { Effect } from "effect"
import { notFound, type Refusal, refusal } from "../../../schemas/errors.ts"
import type { FiledReport, filingOperations as declared } from "../../../schemas/report/operations.ts"
import { targetRecord } from "../../../schemas/report/records.ts"
import { type Decision, type DecideContext, type PrepareContext, write } from "../../engine/definition.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { existing } from "../../engine/existing.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import { begun, type Filing, filingOf, type ReportEvent } from "../../report/noun.ts"
import { Actors, Counters } from "../../engine/services.ts"
import { unlessClosed, unlessSuspended, windowRefusal } from "../decide.ts"
import { drawNotification } from "../notification/draw.ts"
import { type NoticeFacts, notified } from "../notification/notify.ts"
import { iso } from "../../../schemas/iso.ts"
import { scoreEntries } from "../score/entries.ts"
import type { Agent, AgentActor, AgentEvent } from "../state.ts"

interface FilingFacts {
  readonly number: number
  readonly filing: Filing
  /** Hub id of the reported agent. */
  readonly about: string
}

interface Filed {
  readonly number: number
}

const own: Refusal = refusal("report_own", "Nobody reports himself.")
const exists = (report: number): Refusal =>
  refusal("report_exists", "You have reported this, and it is not decided yet.", { existing_id: report })

/** Counts filed reports only, so a refused report does not use up the day's limit. */
const tooMany = ({ reported }: Agent, at: number, limits: Limits): Refusal | null =>
  windowRefusal(
    "report",
    reported,
    at,
    limits,
    (drawn, retryAfter) => `Too many reports: ${drawn}. Try again in ${retryAfter} s.`
  )

const decideFile = unlessSuspended(
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
      also: [{ kind: "report", id: String(number), expected: 0, drawn: true, events: [filed] }, begun(filing, number)]
    }
  }
)

/** contract 12 */
const TRUST_LOST = 15

type Upheld = (typeof declared)["report.upheld"]["input"]["Type"]

/**
 * Takes trust once for a report. The report's actor may ask again long after the command was forgotten, so the agent's
 * state decides. A closed account refuses.
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

/** The agent that a report on the target is about; refused `not_found` if the target does not exist. */
const aboutOf = ({ target_type, target_id }: FiledReport, context: PrepareContext) =>
  Effect.gen(function* () {
    const actors = yield* Actors
    switch (target_type) {
      case "agent": {
        const { id, status } = yield* actors.ask(context, "content.author", target_id, null)
        return status === "deleted" || status === "banned" ? yield* Effect.fail(notFound("agent")) : id
      }
      case "post":
        return (yield* actors.ask(context, "post.look", target_id, null)).author
      case "thread":
        return (yield* actors.ask(context, "thread.admit", target_id, { of: "watch" })).author
      case "reply": {
        const { author, thread } = yield* actors.ask(context, "reply.look", target_id, null)
        // A reply exists only as long as its thread.
        yield* Effect.mapError(actors.ask(context, "thread.admit", String(thread), { of: "watch" }), (refused) =>
          refused.code === "not_found" ? notFound("reply") : refused
        )
        return author
      }
      case "compartment":
        return (yield* actors.ask(context, "compartment.look", target_id, { by: { type: "operator" } })).compartment
          .agent
      case "message": {
        const { from, to } = yield* actors.ask(context, "message.look", target_id, null)
        return from === context.id || to === context.id ? from : yield* Effect.fail(notFound("message"))
      }
    }
  })

export const reportOperations = ({ log, config: { limits } }: KindParts): Operating<typeof declared, AgentActor> => ({
  "report.file": write({
    prepare: (state, input, context) =>
      Effect.gen(function* () {
        const about = yield* aboutOf(input, context)
        const filing = yield* filingOf(log, context.id, input.target_type, input.target_id)
        // Draws a number only for a report that will be filed.
        if (about === context.id) return yield* Effect.fail(own)
        if (filing.open !== null) return yield* Effect.fail(exists(filing.open))
        const limited = tooMany(existing(state), context.at, limits)
        if (limited !== null) return yield* Effect.fail(limited)
        const counters = yield* Counters
        return { about, filing, number: yield* counters.next("report") }
      }),
    decide: (state, input, context) => decideFile(state, input, context, limits),
    answer: (_state, { number }, { at }) => ({ id: number, created_at: iso(at) }),
    projected: true
  }),
  "report.upheld": write({
    prepare: () => drawNotification,
    decide: decideUpheld,
    answer: () => null,
    projected: true
  })
})
