/** Optional parts of a page, which is shown without them if they are unavailable or late. */
import { Effect } from "effect"

export const PART_WAIT_MS = 1_500

export const DECORATION_WAIT_MS = 300

export const orNull = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A | null> =>
  Effect.catch(effect, () => Effect.succeed(null))
