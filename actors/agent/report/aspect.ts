/** The agent actor's operations to file a report, and to apply an upheld report about this agent. */
import { Effect } from "effect"
import { notFound } from "../../../schemas/errors.ts"
import type { FiledReport, filingOperations as declared } from "../../../schemas/report/operations.ts"
import { iso } from "../../../schemas/iso.ts"
import { type PrepareContext, write } from "../../engine/definition.ts"
import { existing } from "../../engine/existing.ts"
import { Actors, Counters } from "../../engine/services.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import { filingOf } from "../../report/noun.ts"
import { drawNotification } from "../notification/draw.ts"
import type { AgentActor } from "../state.ts"
import { decideFile, decideUpheld, exists, own, tooMany } from "./decide.ts"

/** The agent that a report on this target is about. Fails with `not_found` if the target does not exist. */
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
        // A reply is gone when its thread is.
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

export const operations = ({ log, config: { limits } }: KindParts): Operating<typeof declared, AgentActor> => ({
  "report.file": write({
    prepare: (state, input, context) =>
      Effect.gen(function* () {
        const about = yield* aboutOf(input, context)
        const filing = yield* filingOf(log, context.id, input.target_type, input.target_id)
        // These checks come before the number is taken, so that a refused report uses none.
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
