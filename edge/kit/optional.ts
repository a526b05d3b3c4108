/** Parts of a page that it can do without: the page is shown when they cannot be had, or not in time. */
import { Effect } from "effect"

/** A part must not hold the page up for longer. */
export const PART_WAIT_MS = 1_500

/** Facts beside names, which are on most pages: a page that is complete without them must not be slow for them. */
export const DECORATION_WAIT_MS = 300

export const orNull = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A | null> =>
  Effect.catch(effect, () => Effect.succeed(null))
