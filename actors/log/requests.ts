/**
 * The requests of a connection (schemas/runtime/bus/requests.ts), given up when the connection is renewed. Their
 * timeouts use the machine's clock, which no test moves.
 */
import type { Msg, MsgHdrs, NatsConnection } from "@nats-io/transport-node"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { Requests } from "../../schemas/runtime/bus/requests.ts"
import { newInbox } from "./inbox.ts"
import { onLine } from "./renewal.ts"

const known = new WeakMap<NatsConnection, Requests<Msg, MsgHdrs>>()

/**
 * Sets the minimum timeout of a connection's requests, before its first one. Nodes and edges give up early, because a
 * client waits and another node may answer. A person at a shell prefers to wait.
 */
export const setMinimumTimeout = (nats: NatsConnection, patienceMs: number): void => {
  known.set(nats, made(nats, patienceMs))
}

export const requestsOf = (nats: NatsConnection): Requests<Msg, MsgHdrs> => {
  let requests = known.get(nats)
  if (requests === undefined) {
    requests = made(nats, 0)
    known.set(nats, requests)
  }
  return requests
}

const made = (nats: NatsConnection, patienceMs: number): Requests<Msg, MsgHdrs> => {
  const requests = new Requests<Msg, MsgHdrs>(machineClock, nats, () => newInbox(nats), patienceMs)
  onLine(nats, (change) => {
    if (change === "renewed") requests.giveUp()
  })
  return requests
}

/** Asks a stream and waits for its answer. Rejects if none comes in time. */
export const requestStream = async (
  nats: NatsConnection,
  subject: string,
  payload: Uint8Array | string | undefined,
  { timeout, headers }: { readonly timeout: number; readonly headers?: MsgHdrs }
): Promise<Msg> => {
  const answer = await requestsOf(nats).requestStream(subject, payload, timeout, headers)
  if (answer === null) throw new Error("the stream did not answer in time, or the connection was lost meanwhile")
  return answer
}
