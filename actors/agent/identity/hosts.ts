/**
 * Counts how often each website had an agent verified (spec 4.7). There is one counter for each agent and host.
 *
 * Invariants
 *  - A counter is the newest message of its subject in a stream, and holds the total.
 *  - A visit is stored before it is answered. There is one exception: further proofs for the same website within
 *    GATHER_MS of the first are written together at its end. A node that is killed may lose these visits, but no
 *    nonces.
 *  - If another node has written a counter in the meantime, the expected sequence fails. Then the counter is read again
 *    and the visits are added.
 *  - At most HOSTS_MAX websites are remembered for an agent. A new one replaces the one seen longest ago.
 */
import { createHash } from "node:crypto"
import { headers, type NatsConnection } from "@nats-io/transport-node"
import type { JetStreamManager } from "@nats-io/jetstream"
import type { Clock } from "effect"
import { after, wallMs } from "../../../schemas/runtime/clock.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { requestsOf } from "../../log/requests.ts"
import { WRONG_LAST_SEQUENCE } from "../../log/jetstream-codes.ts"

/** The most subjects whose newest messages can be fetched in one request. */
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
  /** The sequence of the counter's message; 0 if there is none. */
  seq: number
  /** Visits that are not yet part of `kept`. */
  added: number
  lastAt: number
  /** The time at which the last write began, in Unix ms. */
  writtenAt: number
  gathering: boolean
  writing: Promise<boolean> | null
}

export const standOf = ({ kept, added, lastAt }: Counter): HostCount => ({
  ...kept,
  count: kept.count + added,
  last_at: Math.max(kept.last_at, lastAt)
})

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

  /** Rejects if the stream does not answer. */
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

  /**
   * Counts a visit. Resolves to true once the visit is stored or waits for the next write; false if it could not be
   * stored.
   */
  async count(agent: string, table: HostTable, host: string, now: number): Promise<boolean> {
    const counter = table.get(host) ?? this.begin(agent, table, host, now)
    counter.added++
    counter.lastAt = Math.max(counter.lastAt, now)
    const wait = counter.writtenAt + GATHER_MS - now
    if (wait <= 0 && counter.writing === null) {
      const isStored = await this.begun(agent, counter, now)
      // The visit is refused, so its repetition counts.
      if (!isStored) counter.added = Math.max(0, counter.added - 1)
      return isStored
    }
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
   * Reads the counter again after a failed write. Returns its sequence if the write has arrived and only its answer was
   * lost; `null` otherwise.
   */
  private async reload(agent: string, counter: Counter, sent: HostCount): Promise<number | null> {
    const fresh = (await this.load(agent).catch(() => null))?.get(counter.kept.host)
    if (fresh === undefined) {
      // The counter was deleted to make room for others, or the stream does not answer.
      counter.seq = 0
      return null
    }
    const arrived = fresh.seq > counter.seq && fresh.kept.count === sent.count && fresh.kept.last_at === sent.last_at
    counter.kept = fresh.kept
    counter.seq = fresh.seq
    return arrived ? fresh.seq : null
  }
}

/**
 * The part of a subject that stands for a host. It is a hash, because a host's name may contain characters that
 * subjects do not allow.
 */
const tokenOf = (host: string): string => createHash("sha256").update(host).digest("base64url").slice(0, 22)
