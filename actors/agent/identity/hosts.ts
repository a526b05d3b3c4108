/**
 * Counts how often each website had an agent verified (spec 4.7): one counter for each agent and host, nothing else
 * about the visit.
 *
 * Invariants
 *  - A counter is one message of a stream that keeps the newest alone; it contains the total, not the change.
 *  - A visit is counted durably before it is answered. The exception are further proofs of the same agent for the same
 *    website less than GATHER_MS after the first: those gather and are written together within that time. So a node
 *    that is killed may lose what came in the last moment of a burst, and nothing else; the memory of nonces loses
 *    nothing.
 *  - Only the agent's owner writes its counters. If another has written meanwhile (a shard that moved), the expected
 *    sequence fails, the counter is read again and the visits are added to it.
 *  - At most HOSTS_MAX websites are remembered for an agent; the one seen longest ago makes room.
 */
import { createHash } from "node:crypto"
import { headers, type NatsConnection } from "@nats-io/transport-node"
import type { JetStreamManager } from "@nats-io/jetstream"
import type { Clock } from "effect"
import { after, wallMs } from "../../../schemas/runtime/clock.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { requestsOf } from "../../log/requests.ts"
import { WRONG_LAST_SEQUENCE } from "../../log/jetstream-codes.ts"

/** The most subjects whose newest messages one request may ask for. */
const HOSTS_MAX = 1000
const ACK_TIMEOUT_MS = 3000
const GATHER_MS = 250
const TRIES = 4

export interface HostCount {
  readonly host: string
  readonly count: number
  /** Unix ms. */
  readonly first_at: number
  readonly last_at: number
}

interface Counter {
  kept: HostCount
  /** Sequence of its message; 0 if there is none. */
  seq: number
  /** Visits since `kept`. */
  added: number
  lastAt: number
  /** Unix ms of the last write's begin. */
  writtenAt: number
  gathering: boolean
  writing: Promise<boolean> | null
}

/** The current count, unwritten increments included. */
export const standOf = ({ kept, added, lastAt }: Counter): HostCount => ({
  ...kept,
  count: kept.count + added,
  last_at: Math.max(kept.last_at, lastAt)
})

/** The counters of its agent that an activation remembers. */
export type HostTable = Map<string, Counter>

export class HostCounters {
  private readonly clock: Clock.Clock
  private readonly nats: NatsConnection
  private readonly manager: JetStreamManager

  constructor(clock: Clock.Clock, nats: NatsConnection, manager: JetStreamManager) {
    this.clock = clock
    this.nats = nats
    this.manager = manager
  }

  /** The agent's counters as the stream has them. Rejects when it does not answer. */
  async load(agent: string): Promise<HostTable> {
    const table: HostTable = new Map()
    const found = await this.manager.direct.getLastMessagesFor(streams.verified, {
      multi_last: [subjects.verifiedOf(agent)]
    })
    for await (const message of found) {
      const kept = message.json<HostCount>()
      table.set(kept.host, {
        kept,
        seq: message.seq,
        added: 0,
        lastAt: kept.last_at,
        writtenAt: 0,
        gathering: false,
        writing: null
      })
    }
    return table
  }

  /** Resolves to true once the visit is in the stream or is gathered with others; false if it could not be stored. */
  async count(agent: string, table: HostTable, host: string, now: number): Promise<boolean> {
    const counter = table.get(host) ?? this.begin(agent, table, host, now)
    counter.added++
    counter.lastAt = Math.max(counter.lastAt, now)
    const wait = counter.writtenAt + GATHER_MS - now
    if (wait <= 0 && counter.writing === null) return this.begun(agent, counter, now)
    if (!counter.gathering) {
      counter.gathering = true
      after(this.clock, Math.max(1, wait), () => void this.gathered(agent, counter))
    }
    return true
  }

  private async gathered(agent: string, counter: Counter): Promise<void> {
    if (counter.writing !== null) await counter.writing
    counter.gathering = false
    if (counter.added > 0) await this.begun(agent, counter, wallMs(this.clock))
  }

  private begun(agent: string, counter: Counter, now: number): Promise<boolean> {
    counter.writtenAt = now
    counter.writing = this.write(agent, counter).finally(() => {
      counter.writing = null
    })
    return counter.writing
  }

  /** Erases the counters of a deleted account, because the websites that it visited are private. */
  async erase(agent: string): Promise<void> {
    await this.manager.streams.purge(streams.verified, { filter: subjects.verifiedOf(agent) })
  }

  private begin(agent: string, table: HostTable, host: string, now: number): Counter {
    if (table.size >= HOSTS_MAX) this.makeRoom(agent, table)
    const counter: Counter = {
      kept: { host, count: 0, first_at: now, last_at: now },
      seq: 0,
      added: 0,
      lastAt: now,
      writtenAt: 0,
      gathering: false,
      writing: null
    }
    table.set(host, counter)
    return counter
  }

  private makeRoom(agent: string, table: HostTable): void {
    let oldest: string | null = null
    for (const [host, { lastAt, writing, gathering }] of table) {
      if (writing === null && !gathering && (oldest === null || lastAt < (table.get(oldest)?.lastAt ?? 0)))
        oldest = host
    }
    if (oldest === null) return
    table.delete(oldest)
    const filter = subjects.verified(agent, tokenOf(oldest))
    void this.manager.streams.purge(streams.verified, { filter }).catch(() => undefined)
  }

  private async write(agent: string, counter: Counter): Promise<boolean> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const { added, lastAt } = counter
      const next: HostCount = { ...counter.kept, count: counter.kept.count + added, last_at: lastAt }
      const reply = await this.publish(agent, next, counter.seq)
      if (reply === "failed") return false
      const seq = reply === "unknown" ? await this.reload(agent, counter, next) : reply
      if (seq === null) continue
      counter.kept = next
      counter.seq = seq
      counter.added -= added
      return true
    }
    return false
  }

  private async publish(agent: string, count: HostCount, expected: number): Promise<number | "unknown" | "failed"> {
    const more = headers()
    more.set("Nats-Expected-Last-Subject-Sequence", String(expected))
    const subject = subjects.verified(agent, tokenOf(count.host))
    const reply = await requestsOf(this.nats).requestStream(
      subject,
      Buffer.from(JSON.stringify(count)),
      ACK_TIMEOUT_MS,
      more
    )
    if (reply === null) return "unknown"
    const ack = reply.json<{ seq?: number; error?: { err_code?: number } }>()
    if (ack.seq !== undefined) return ack.seq
    return ack.error?.err_code === WRONG_LAST_SEQUENCE ? "unknown" : "failed"
  }

  /**
   * Reads the counter's current state. Returns its sequence if that state is what was just sent: then only the answer
   * was lost.
   */
  private async reload(agent: string, counter: Counter, sent: HostCount): Promise<number | null> {
    const fresh = (await this.load(agent).catch(() => null))?.get(counter.kept.host)
    if (fresh === undefined) {
      // It has made room for others in the meantime, or the stream does not answer.
      counter.seq = 0
      return null
    }
    const arrived = fresh.seq > counter.seq && fresh.kept.count === sent.count && fresh.kept.last_at === sent.last_at
    counter.kept = fresh.kept
    counter.seq = fresh.seq
    return arrived ? fresh.seq : null
  }
}

/** A host's name may contain characters that a subject must not. */
const tokenOf = (host: string): string => createHash("sha256").update(host).digest("base64url").slice(0, 22)
