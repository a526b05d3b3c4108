/**
 * Carries out the decision on a report, by the actors that it concerns (contract 12, 19).
 *
 * Invariants
 *  - An outcome is in force when each of its commands was carried out, or its effect exists already. For example, the
 *    account is already suspended for longer, or the author has removed the post.
 *  - Each command may be asked again at any time later. Trust, suspensions and the lift of a compartment name the
 *    report, and the state of its agent or compartment makes them count once. All others set a state.
 *  - A settled resolution asks for nothing, because another report on the same target had the effect. It counts as in
 *    force unless the account's present status contradicts it.
 */
import { Effect } from "effect"
import { type ErrorCode, type Refusal, refusal } from "../../schemas/errors.ts"
import type { OperatorView } from "../../schemas/moderation/operations.ts"
import type { ReportOutcome } from "../../schemas/report/records.ts"
import type { Resolution } from "../../schemas/report/operations.ts"
import type { PrepareContext } from "../engine/definition.ts"
import { Actors, type ActorServices } from "../engine/services.ts"
import { placeOf } from "./place.ts"
import type { Report } from "./state.ts"

/** A later try may succeed, so the outcome is not judged yet. */
const LATER: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unavailable", "overloaded", "internal_error"])

const reasonOf = ({ reason }: Report, { note }: Resolution): string => note ?? `reported for ${reason}`

type Doing = Effect.Effect<unknown, Refusal, ActorServices>

const hidden = (report: Report, resolution: Resolution, context: PrepareContext): Doing =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const { target_type, target_id } = report
    if (target_type === "agent" || target_type === "message") return null
    if (target_type === "compartment") return yield* actors.ask(context, "compartment.end", target_id, null)
    const by = { agent: resolution.by, operator: true }
    const input = { by, hidden: true, reason: reasonOf(report, resolution) }
    return yield* actors.ask(context, `${target_type}.hide`, target_id, input)
  })

/** Asks the actors to carry out the outcome. A suspension takes trust itself, so it asks for no `report.upheld`. */
const done = (report: Report, resolution: Resolution, context: PrepareContext): Doing =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const { target_type, target_id, about } = report
    const { outcome, until } = resolution
    const reason = reasonOf(report, resolution)
    const number = Number(context.id)
    const upheld = { report: number, target_type, target_id, reason }
    switch (outcome) {
      case "none":
        // A report has already suspended the compartment.
        if (target_type !== "compartment") return null
        return yield* actors.ask(context, "compartment.lift", target_id, { by: "report", report: number })
      case "removed":
        return yield* hidden(report, resolution, context)
      case "warned": {
        const place = yield* placeOf(report, context)
        return yield* actors.ask(context, "report.upheld", about, { ...upheld, outcome, place })
      }
      case "suspended":
        return yield* actors.ask(context, "agent.suspend", about, {
          reason,
          report: number,
          ...(until === null ? {} : { until })
        })
      case "banned":
        yield* actors.ask(context, "report.upheld", about, { ...upheld, outcome })
        return yield* actors.ask(context, "agent.ban", about, { reason })
    }
  })

/** Statuses of an account that show that the outcome is not in force. */
const CONTRADICTING: Readonly<Partial<Record<ReportOutcome, ReadonlySet<OperatorView["status"]>>>> = {
  warned: new Set(["deleted"]),
  suspended: new Set(["deleted", "active"]),
  banned: new Set(["deleted", "active", "suspended"])
}

/** Fails if the account's status contradicts an outcome that another report is said to have had. */
const stillSo = ({ about }: Report, { outcome }: Resolution, context: PrepareContext): Doing =>
  Effect.gen(function* () {
    const contradicting = CONTRADICTING[outcome]
    if (contradicting === undefined) return null
    const actors = yield* Actors
    const { status } = yield* actors.ask(context, "agent.inspect", about, null)
    return contradicting.has(status)
      ? yield* Effect.fail(refusal("validation_error", `The account is ${status}, so the outcome is not in force.`))
      : null
  })

/** True if the target is in the wanted state already. */
const isSo = ({ outcome }: Resolution, { code, details }: Refusal): boolean =>
  (outcome === "removed" && code === "not_found") ||
  (outcome === "none" && code === "not_found") ||
  code === `agent_${outcome}` ||
  details?.["status"] === outcome

/**
 * The reason why the outcome was refused; `null` if it is in force. Fails with refusals that a later attempt may not
 * get.
 */
export const refusalOf = (
  report: Report,
  resolution: Resolution,
  context: PrepareContext
): Effect.Effect<string | null, Refusal, ActorServices> =>
  Effect.matchEffect(resolution.settled ? stillSo(report, resolution, context) : done(report, resolution, context), {
    onSuccess: () => Effect.succeed(null),
    onFailure: (refused) =>
      LATER.has(refused.code)
        ? Effect.fail(refused)
        : Effect.succeed(isSo(resolution, refused) ? null : refused.message)
  })
