/**
 * A durable consumer that all workers share. It delivers every commit that matches to one worker. The server keeps it,
 * so that it continues where it was after any crash. A commit that is not acknowledged in time is delivered again.
 */
import { type Consumer, jetstream, type JsMsg } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { type Clock, Effect } from "effect"
import { streams } from "../../../schemas/subjects.ts"
import { paced } from "../../../schemas/runtime/bus/pace.ts"
import type { Tracing } from "../../../schemas/runtime/trace/tracing.ts"
import { listeningOnLine } from "../../log/renewal.ts"
import { traceparentOf } from "../../log/traceparent.ts"
import type { Message, Source } from "./message.ts"

/** Milliseconds that one fetch waits for messages; a lost connection ends it immediately. */
const FETCH_MS = 2_000
/**
 * Acknowledgements are collected for this long, because nothing waits for them, and each write to the server is costly.
 */
const ACK_GAP_MS = 5

const gatheredAcks = (clock: Clock.Clock): ((message: JsMsg) => void) => {
  let gathered: Array<JsMsg> = []
  const flushSoon = paced(
    clock,
    () => {
      const acked = gathered
      gathered = []
      try {
        for (const message of acked) message.ack()
      } catch {
        // The connection is closing. The messages are delivered again, and the next worker finds their work done.
      }
    },
    ACK_GAP_MS
  )
  return (message) => {
    gathered.push(message)
    flushSoon()
  }
}

const messageOf = (message: JsMsg, ack: (message: JsMsg) => void, tracing: Tracing): Message => ({
  seq: message.seq,
  delivery: message.subject.split(".")[3] ?? "",
  data: message.data,
  given: message.info.deliveryCount,
  traceparent: tracing.on ? traceparentOf(message.headers) : undefined,
  ack: () => ack(message),
  nak: (afterMs) => message.nak(afterMs),
  working: () => message.working()
})

export const commitSource = (clock: Clock.Clock, nats: NatsConnection, tracing: Tracing, durable: string): Source => {
  const ack = gatheredAcks(clock)
  let known: Consumer | null = null
  const consumer = Effect.tryPromise(
    async () => (known ??= await jetstream(nats).consumers.get(streams.events, durable))
  )
  const fetched = (from: Consumer, max: number) =>
    Effect.acquireRelease(
      Effect.tryPromise(() => from.fetch({ max_messages: max, expires: FETCH_MS })),
      (messages) => Effect.sync(() => messages.stop())
    )
  const fetch = (max: number, receive: (message: Message) => void) =>
    Effect.gen(function* () {
      const messages = yield* fetched(yield* consumer, max)
      yield* listeningOnLine(nats, () => messages.stop())
      yield* Effect.tryPromise(async () => {
        for await (const message of messages) receive(messageOf(message, ack, tracing))
      })
    })
  // The next fetch looks the consumer up again, because an operator may have created it again.
  const forget = Effect.sync(() => void (known = null))
  return { fetch: (max, receive) => Effect.tapError(Effect.scoped(fetch(max, receive)), () => forget) }
}
