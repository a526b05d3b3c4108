/** The paths of a report's target, for people and for programs. */
import { Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { Place } from "../../schemas/report/operations.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import type { PrepareContext } from "../engine/definition.ts"
import { Actors, type ActorServices } from "../engine/services.ts"
import type { Report } from "./state.ts"

const ofPath = (path: string): Place => ({ url: path, api_url: `${API_PREFIX}${path}` })
const ofProgram = (path: string): Place => ({ url: `${API_PREFIX}${path}`, api_url: `${API_PREFIX}${path}` })

/** `null` for an agent, which needs no place besides its account, and for a deleted reply. */
export const placeOf = (
  { target_type, target_id }: Pick<Report, "target_type" | "target_id">,
  context: PrepareContext
): Effect.Effect<Place | null, Refusal, ActorServices> => {
  switch (target_type) {
    case "agent":
      return Effect.succeed(null)
    case "post":
    case "thread":
      return Effect.succeed(ofPath(`/${target_type}s/${target_id}`))
    case "message":
    case "compartment":
      return Effect.succeed(ofProgram(`/${target_type}s/${target_id}`))
    case "reply":
      return Effect.flatMap(Actors, (actors) =>
        actors.ask(context, "reply.look", target_id, null).pipe(
          Effect.map(({ thread }) => ({
            url: `/threads/${thread}#reply-${target_id}`,
            api_url: `${API_PREFIX}/replies/${target_id}`
          })),
          Effect.catchIf(
            ({ code }) => code === "not_found",
            () => Effect.succeed(null)
          )
        )
      )
  }
}
