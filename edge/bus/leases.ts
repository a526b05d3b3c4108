/**
 * Watching the lease bucket, so that asks go to the owner of their shard.
 *
 * Invariants
 *  - The view is a hint; being late or wrong costs a retry, never an answer.
 *  - The bucket may not be there yet when an edge starts: the edge waits for it.
 *  - Every watch begins with all that stands in the bucket. What was known and is no longer there has ended meanwhile
 *    and is taken out of the view, so a watch that was cut off heals completely.
 *  - A watch that ends is begun anew; it also ends when its bucket is gone (then its sequences mean nothing any more),
 *    and when its heartbeats are missed: the server that had it may be gone while the connection, to another one, stays.
 */
import { setTimeout as delay } from "node:timers/promises"
import { type ConsumerMessages, DeliverPolicy, jetstream, jetstreamManager, type JsMsg } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import type { LeaseView } from "../../schemas/bus/lease-view.ts"
import { buckets } from "../../schemas/subjects.ts"

const STREAM = `KV_${buckets.leases}`
const PREFIX = `$KV.${buckets.leases}.`
const PAUSE_MS = 200
/** One pull of the watch; the server's heartbeats come twice as often. */
const PULL_MS = 1_000
/** For the making of the watch: a cluster may place it on a server that was killed; the next one lies elsewhere. */
const MADE_WITHIN_MS = 1_000

const isGone = (message: JsMsg): boolean =>
  message.headers?.get("KV-Operation") === "DEL" ||
  message.headers?.get("KV-Operation") === "PURGE" ||
  (message.headers?.get("Nats-Marker-Reason") ?? "") !== ""

export class LeaseWatch {
  private readonly nats: NatsConnection
  private readonly view: LeaseView
  private readonly onProblem: (error: unknown) => void
  private readonly stopping = new AbortController()
  private known = new Set<string>()
  private stopMessages: (() => void) | null = null

  constructor(nats: NatsConnection, view: LeaseView, onProblem: (error: unknown) => void) {
    this.nats = nats
    this.view = view
    this.onProblem = onProblem
  }

  /** Resolves once everything that stands in the bucket has been seen; watches on until `stop`. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      void this.run(resolve)
    })
  }

  stop(): void {
    this.stopping.abort()
    this.stopMessages?.()
  }

  private async run(seen: () => void): Promise<void> {
    while (!this.stopping.signal.aborted && !this.nats.isClosed()) {
      try {
        await this.watch(seen)
      } catch (error) {
        if (!isAbsent(error)) this.onProblem(error)
      }
      await delay(PAUSE_MS, undefined, { signal: this.stopping.signal }).catch(() => undefined)
    }
  }

  private async watch(seen: () => void): Promise<void> {
    const manager = await jetstreamManager(this.nats, { checkAPI: false, timeout: MADE_WITHIN_MS })
    const { state } = await manager.streams.info(STREAM)
    const consumer = await jetstream(this.nats, { timeout: MADE_WITHIN_MS }).consumers.get(STREAM, { deliver_policy: DeliverPolicy.LastPerSubject })
    const messages = await consumer.consume({ expires: PULL_MS })
    this.stopMessages = () => messages.stop()
    endWithBucket(messages).catch(this.onProblem)
    const found = new Set<string>()
    let complete = state.last_seq === 0 || state.messages === 0
    if (complete) this.completed(found, seen)
    for await (const message of messages) {
      const key = message.subject.slice(PREFIX.length)
      const gone = isGone(message)
      if (gone) this.known.delete(key)
      else this.known.add(key)
      found.add(key)
      this.view.apply(key, gone ? null : message.string())
      if (!complete && message.info.pending === 0) {
        complete = true
        this.completed(found, seen)
      }
    }
  }

  private completed(found: ReadonlySet<string>, seen: () => void): void {
    for (const key of this.known) {
      if (found.has(key)) continue
      this.known.delete(key)
      this.view.apply(key, null)
    }
    seen()
  }
}

const ENDINGS: ReadonlySet<string> = new Set(["heartbeats_missed", "stream_not_found", "consumer_not_found", "consumer_deleted"])

const endWithBucket = async (messages: ConsumerMessages): Promise<void> => {
  for await (const { type } of messages.status()) if (ENDINGS.has(type)) messages.stop()
}

/** The bucket is not there yet, or nobody answers for it: both end by waiting. */
const isAbsent = (error: unknown): boolean =>
  error instanceof Error && /stream not found|no responders|timeout/i.test(error.message)
