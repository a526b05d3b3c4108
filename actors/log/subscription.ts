/** A subscription for as long as a scope is open. */
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import { Effect, type Scope } from "effect"

export const subscribed = (
  nats: NatsConnection,
  subject: string,
  receive: (message: Msg) => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() =>
        nats.subscribe(subject, {
          callback: (error, message) => {
            if (error === null) receive(message)
          }
        })
      ),
      (subscription) => Effect.sync(() => subscription.unsubscribe())
    )
  )
