/**
 * The end of waiting for what a lost connection has swallowed.
 *
 * What was sent over a connection that broke, or while there was none, may never arrive, and its answer never comes. So
 * when the connection is renewed, whatever waits from before is given up at once, not at its timeout: nobody knows what
 * has become of it, and whoever asked looks again over the line that now works.
 */
import { setTimeout as delay } from "node:timers/promises"
import {
  type Msg,
  type NatsConnection,
  NoRespondersError,
  type Payload,
  RequestError,
  type RequestOptions
} from "@nats-io/transport-node"

/** Between two tries of a request that nobody listens to. */
export const LEADERLESS_PAUSE_MS = 50

type Change = "lost" | "renewed"
type Listener = (change: Change) => void

const listenersOf = new WeakMap<NatsConnection, Set<Listener>>()

/** Returns what ends the listening. */
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

export const onRenewal = (nats: NatsConnection, listener: () => void): (() => void) =>
  onLine(nats, (change) => {
    if (change === "renewed") listener()
  })

const follow = async (nats: NatsConnection, listeners: ReadonlySet<Listener>): Promise<void> => {
  for await (const status of nats.status()) {
    if (status.type !== "reconnect" && status.type !== "disconnect") continue
    for (const listener of listeners) listener(status.type === "reconnect" ? "renewed" : "lost")
  }
}

/** The connection's own request, which also rejects when the connection is renewed meanwhile. */
export const requestOnce = (
  nats: NatsConnection,
  subject: string,
  payload: Payload | undefined,
  options: RequestOptions
): Promise<Msg> =>
  new Promise((resolve, reject) => {
    const forget = onRenewal(nats, () => reject(new Error("the connection was lost before the answer came")))
    nats.request(subject, payload, options).then(resolve, reject).finally(forget)
  })

export const nobodyListens = (error: unknown): boolean =>
  error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders())

/**
 * A request to a stream. While it has no leader (the server that led it was stopped, and the others choose anew) nobody
 * listens, so that nothing was received: the request goes again until its time is up.
 */
export const requestStream = async (
  nats: NatsConnection,
  subject: string,
  payload: Payload | undefined,
  options: RequestOptions
): Promise<Msg> => {
  const end = performance.now() + options.timeout
  for (;;) {
    try {
      return await requestOnce(nats, subject, payload, { ...options, timeout: Math.max(1, end - performance.now()) })
    } catch (error) {
      if (!nobodyListens(error) || performance.now() + LEADERLESS_PAUSE_MS >= end) throw error
      await delay(LEADERLESS_PAUSE_MS)
    }
  }
}
