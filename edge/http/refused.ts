/** A refusal as the failure of an Effect. It becomes an answer where the call ends. */
import { Data, Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"

export class Refused extends Data.TaggedError("Refused")<{ readonly refusal: Refusal }> {}

export const refuse = (refusal: Refusal): Refused => new Refused({ refusal })

/**
 * Adds to a `not_found` refusal the field of the request that names the missing thing. If `resource` is given, only for
 * that resource.
 */
export const namedBy =
  (field: string, resource?: string) =>
  <A>(looked: Effect.Effect<A, Refused>): Effect.Effect<A, Refused> =>
    Effect.mapError(looked, (refused) =>
      refused.refusal.code === "not_found" &&
      (resource === undefined || refused.refusal.details?.["resource"] === resource)
        ? refuse({ ...refused.refusal, details: { ...refused.refusal.details, field } })
        : refused
    )
