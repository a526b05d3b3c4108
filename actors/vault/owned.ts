/** A vault towards the people who carry its agent. */
import { Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { PrepareContext } from "../engine/definition.ts"
import { Actors, type ActorServices } from "../services.ts"
import { NO_FILL } from "./refusals.ts"

/** That this person does, now; to every other there is nothing here. */
export const carried = (context: PrepareContext, human: string): Effect.Effect<null, Refusal, ActorServices> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    yield* Effect.mapError(actors.ask(context, "owner.carries", context.id, { human }), (refused) =>
      refused.code === "not_found" ? NO_FILL.refused : refused
    )
    return null
  })
