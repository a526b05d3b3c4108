/** Turns a promise into an Effect. A rejection becomes the failure. */
import { Effect } from "effect"

export const attempt = <A>(act: () => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: act, catch: (error) => error })
