/**
 * Records when an agent was last seen (spec 2.2: at most once a minute for reads). A commit each time would cost too
 * much. So a stream holds one message for each agent, with the newest time, and the directory reads it.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { requestsOf } from "../../log/requests.ts"

const EVERY_MS = 60_000
const TIMEOUT_MS = 1000
/** The most agents whose time a node caches. */
const KNOWN_MAX = 100_000

interface Known {
  /** Unix ms. */
  readonly at: number
  /** Unix ms at which this node wrote or read the time. Another node may have written a newer one since. */
  readonly asOf: number
}

export class LastSeen {
  private readonly nats: NatsConnection
  private readonly known = new Map<string, Known>()

  constructor(nats: NatsConnection) {
    this.nats = nats
  }

  /**
   * Records that the agent sent a request now. Returns the recorded time, which one node changes at most once a minute.
   */
  touch(id: string, now: number): number {
    const before = this.known.get(id)
    if (before !== undefined && now - before.at < EVERY_MS) return before.at
    this.nats.publish(subjects.seen(id), JSON.stringify({ agent: id, at: now }))
    return this.remember(id, now, now)
  }

  /**
   * The time at which the agent was last seen, in Unix ms; `fallback` if the agent has made no request yet or the
   * stream does not answer. The stream is read at most once a minute for an agent with a time.
   */
  async of(id: string, fallback: number, now: number): Promise<number> {
    const known = this.known.get(id)
    if (known !== undefined && now - known.asOf < EVERY_MS) return known.at
    const at = await this.stored(id)
    if (at !== null) return this.remember(id, at, now)
    // The fallback is not remembered, because `touch` would take it for a request of the agent.
    return this.known.get(id)?.at ?? fallback
  }

  /** The time in the stream; `null` if there is none or the stream does not answer. */
  private async stored(id: string): Promise<number | null> {
    try {
      const subject = `$JS.API.DIRECT.GET.${streams.seen}.${subjects.seen(id)}`
      const reply = await requestsOf(this.nats).request(subject, undefined, TIMEOUT_MS)
      return reply === null || reply.headers?.code === 404 ? null : reply.json<{ at: number }>().at
    } catch {
      return null
    }
  }

  /** Returns the newest known time. The agent may have sent a request here while the stream was read. */
  private remember(id: string, at: number, asOf: number): number {
    const before = this.known.get(id)
    const newest = Math.max(at, before?.at ?? at)
    this.known.delete(id)
    this.known.set(id, { at: newest, asOf: Math.max(asOf, before?.asOf ?? asOf) })
    if (this.known.size > KNOWN_MAX) {
      const oldest = this.known.keys().next().value
      if (oldest !== undefined) this.known.delete(oldest)
    }
    return newest
  }
}
