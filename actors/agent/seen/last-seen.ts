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

export class LastSeen {
  private readonly nats: NatsConnection
  private readonly known = new Map<string, number>()

  constructor(nats: NatsConnection) {
    this.nats = nats
  }

  /**
   * Records that the agent sent a request now. Returns the recorded time, which one node changes at most once a minute.
   */
  touch(id: string, now: number): number {
    const before = this.known.get(id)
    if (before !== undefined && now - before < EVERY_MS) return before
    this.remember(id, now)
    this.nats.publish(subjects.seen(id), JSON.stringify({ agent: id, at: now }))
    return now
  }

  /**
   * The time at which the agent was last seen, in Unix ms; `fallback` if the agent has made no request yet or the
   * stream does not answer.
   */
  async of(id: string, fallback: number): Promise<number> {
    const known = this.known.get(id)
    if (known !== undefined) return known
    try {
      const stored = `$JS.API.DIRECT.GET.${streams.seen}.${subjects.seen(id)}`
      const reply = await requestsOf(this.nats).request(stored, undefined, TIMEOUT_MS)
      if (reply === null) return fallback
      const at = reply.headers?.code === 404 ? fallback : reply.json<{ at: number }>().at
      this.remember(id, at)
      return at
    } catch {
      return fallback
    }
  }

  private remember(id: string, at: number): void {
    this.known.delete(id)
    this.known.set(id, at)
    if (this.known.size > KNOWN_MAX) {
      const oldest = this.known.keys().next().value
      if (oldest !== undefined) this.known.delete(oldest)
    }
  }
}
