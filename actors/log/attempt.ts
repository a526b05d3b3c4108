/** A promise as an Effect: its value, or its rejection as the failure. */
import { Effect } from "effect"

export const attempt = <A>(act: () => Promise<A>): Effect.Effect<A, unknown> =>
  Effect.tryPromise({ try: act, catch: (error) => error })
