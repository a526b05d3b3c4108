/**
 * Follows a stream in order, for as long as the connection lives.
 *
 * Invariants
 *  - Every message from the start on is received, in order; after an interruption it goes on behind the last one
 *    received.
 *  - The server keeps such a consumer in memory: one that was killed has forgotten it. So when the connection is
 *    renewed a new consumer is made at once; and also when its heartbeats are missed, for in a cluster the server that
 *    has the consumer may go while the connection, to another one, stays.
 *  - Only the newest consumer is listened to: what an older one still brings is dropped.
 */
import { setTimeout as delay } from "node:timers/promises"
import {
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  jetstream,
  type JsMsg,
  type OrderedConsumerOptions
} from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { onLine } from "./renewal.ts"

const RETRY_MS = 200
const PULL_MESSAGES = 1000
/** One pull; the server's heartbeats come twice as often. */
const PULL_MS = 1000
/**
 * For the making of a consumer. A cluster may place it on a server that was killed, as long as it does not know; then
 * nobody answers, and the next one that is asked for lies elsewhere, more likely than not.
 */
const MADE_WITHIN_MS = 1000

export interface Following {
  /** Messages that the server has still to deliver; `null` while it has no consumer. Rejects when it does not answer. */
  readonly pending: () => Promise<number | null>
  readonly stop: () => void
}

/**
 * Where to begin: all that is kept, the newest message of each subject, a sequence, or what was stored from a time on
 * (Unix ms).
 */
export type Start = "all" | "last-per-subject" | number | { readonly time: number }

/** Ways to learn that the server has no such consumer, or that nobody has it. */
const SILENCE: ReadonlySet<string> = new Set([
  "heartbeats_missed",
  "consumer_not_found",
  "consumer_deleted",
  "stream_not_found"
])

const startOptions = (start: Start): Partial<OrderedConsumerOptions> => {
  if (start === "all") return { deliver_policy: DeliverPolicy.All }
  if (start === "last-per-subject") return { deliver_policy: DeliverPolicy.LastPerSubject }
  if (typeof start === "object")
    return { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(start.time).toISOString() }
  return { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: start }
}

/**
 * Resolves when the first consumer is in place; rejects when it cannot be made. `filters`: only subjects of these
 * patterns; the server delivers nothing else.
 */
export const followStream = async (
  nats: NatsConnection,
  stream: string,
  start: Start,
  receive: (message: JsMsg) => void,
  filters?: ReadonlyArray<string>
): Promise<Following> => {
  let from = start
  let newest = 0
  let current: { readonly consumer: Consumer; readonly messages: ConsumerMessages } | null = null

  const end = (): void => {
    newest++
    current?.messages.stop()
    current = null
  }

  const begin = async (own: number): Promise<void> => {
    const consumer = await jetstream(nats, { timeout: MADE_WITHIN_MS }).consumers.get(stream, {
      ...startOptions(from),
      ...(filters === undefined ? {} : { filter_subjects: [...filters] })
    })
    if (own !== newest) return
    const messages = await consumer.consume({
      max_messages: PULL_MESSAGES,
      expires: PULL_MS,
      callback: (message) => {
        if (own !== newest) return
        from = message.seq + 1
        receive(message)
      }
    })
    if (own !== newest) return messages.stop()
    current = { consumer, messages }
    void renewWhenSilent(own, messages)
  }

  const renewWhenSilent = async (own: number, messages: ConsumerMessages): Promise<void> => {
    for await (const { type } of messages.status()) {
      if (own !== newest) return
      if (!SILENCE.has(type)) continue
      end()
      return beginAgain()
    }
  }

  const beginAgain = async (): Promise<void> => {
    const own = ++newest
    const wanted = (): boolean => own === newest && !nats.isClosed()
    while (wanted()) {
      try {
        return await begin(own)
      } catch {
        await delay(RETRY_MS)
      }
    }
  }

  await begin(newest)
  const forget = onLine(nats, (change) => {
    // Ended while the line is down, so that the client makes no attempt of its own to mend it.
    end()
    if (change === "renewed") void beginAgain()
  })
  return {
    pending: async () => (current === null ? null : (await current.consumer.info()).num_pending),
    stop: () => {
      forget()
      const consumer = current?.consumer
      end()
      // Left alone, the server would keep it for minutes; a follower that begins again and again would leave hundreds.
      void consumer?.delete().catch(() => undefined)
    }
  }
}
