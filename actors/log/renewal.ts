/**
 * Notifies listeners when a connection is lost or renewed.
 *
 * Messages that were sent over a broken connection, or while there was none, may never arrive, and their answers never
 * come. So when the connection is renewed, waiting requests from before are given up immediately (requests.ts), not at
 * their timeouts. Their outcome is unknown, and their callers look again over the new connection.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, type Scope } from "effect"

type Change = "lost" | "renewed"
type Listener = (change: Change) => void

const listenersOf = new WeakMap<NatsConnection, Set<Listener>>()

/** Returns a function that ends the listening. */
export const onLine = (nats: NatsConnection, listener: Listener): (() => void) => {
  const known = listenersOf.get(nats)
  const listeners = known ?? new Set()
  listeners.add(listener)
  if (known === undefined) {
    listenersOf.set(nats, listeners)
    void follow(nats, listeners)
  }
  return () => void listeners.delete(listener)
}

export const listeningOnLine = (nats: NatsConnection, listener: Listener): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => onLine(nats, listener)),
      (forget) => Effect.sync(forget)
    )
  )

const follow = async (nats: NatsConnection, listeners: ReadonlySet<Listener>): Promise<void> => {
  for await (const status of nats.status()) {
    if (status.type !== "reconnect" && status.type !== "disconnect") continue
    for (const listener of listeners) listener(status.type === "reconnect" ? "renewed" : "lost")
  }
}
