/** A refusal on its way up through an Effect; turned into an answer where the call ends. */
import { Data, Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"

export class Refused extends Data.TaggedError("Refused")<{ readonly refusal: Refusal }> {}

export const refuse = (refusal: Refusal): Refused => new Refused({ refusal })

/** Names the field of the request that names something which is not there: of this sort alone, if one is given. */
export const namedBy =
  (field: string, resource?: string) =>
  <A>(looked: Effect.Effect<A, Refused>): Effect.Effect<A, Refused> =>
    Effect.mapError(looked, (refused) =>
      refused.refusal.code === "not_found" &&
      (resource === undefined || refused.refusal.details?.["resource"] === resource)
        ? refuse({ ...refused.refusal, details: { ...refused.refusal.details, field } })
        : refused
    )
