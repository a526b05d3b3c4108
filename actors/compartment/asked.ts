import { Effect } from "effect"
import type { Asker } from "../../schemas/compartment/operations.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { PrepareContext } from "../engine/definition.ts"
import { Actors, type ActorServices } from "../engine/services.ts"
import { NO_COMPARTMENT } from "./refusals.ts"
import { type CompartmentState, isThere } from "./state.ts"

/**
 * Checks that a person made the compartment or owns its agent. Fails with `not_found` otherwise. Agents and operators
 * are not checked here.
 */
export const askedBy = (
  state: CompartmentState,
  { by }: { readonly by: Asker },
  context: PrepareContext
): Effect.Effect<null, Refusal, ActorServices> =>
  Effect.gen(function* () {
    if (!isThere(state)) return yield* Effect.fail(NO_COMPARTMENT.refused)
    if (by.type !== "human" || by.human === state.human) return null
    const actors = yield* Actors
    yield* Effect.mapError(actors.ask(context, "owner.carries", state.agent, { human: by.human }), (refused) =>
      refused.code === "not_found" ? NO_COMPARTMENT.refused : refused
    )
    return null
  })
