/** The lease bucket on JetStream: compare-and-set writes, a watch that outlives reconnects, pings. See placement.ts. */
import type { JetStreamManager } from "@nats-io/jetstream"
import { headers, type NatsConnection } from "@nats-io/transport-node"
import type { LeaseView } from "../../schemas/bus/lease-view.ts"
import { buckets, subjects } from "../../schemas/subjects.ts"
import { followStream } from "./follow.ts"
import { nobodyListens, requestOnce } from "./renewal.ts"
import { type LeaseStore, type Ping, PING_TIMEOUT_MS, type Written } from "./placement.ts"

const PREFIX = `$KV.${buckets.leases}.`
const WRITE_TIMEOUT_MS = 2000
const WRONG_SEQUENCE = 10071

interface Ack {
  readonly seq?: number
  readonly error?: { readonly err_code?: number }
}

export class KvLeases implements LeaseStore {
  private readonly nats: NatsConnection
  private readonly view: LeaseView
  private readonly revisions = new Map<string, number>()

  constructor(nats: NatsConnection, view: LeaseView) {
    this.nats = nats
    this.view = view
  }

  revision(key: string): number {
    return this.revisions.get(key) ?? 0
  }

  put(key: string, value: string, expected: number, ttlSeconds?: number): Promise<Written> {
    const more = headers()
    if (ttlSeconds !== undefined) more.set("Nats-TTL", `${ttlSeconds}s`)
    return this.write(key, value, expected, more)
  }

  remove(key: string, expected: number): Promise<Written> {
    const more = headers()
    more.set("KV-Operation", "DEL")
    more.set("Nats-TTL", "60s")
    return this.write(key, "", expected, more)
  }

  private async write(key: string, value: string, expected: number, more: ReturnType<typeof headers>): Promise<Written> {
    more.set("Nats-Expected-Last-Subject-Sequence", String(expected))
    try {
      const reply = await requestOnce(this.nats, PREFIX + key, value, { headers: more, timeout: WRITE_TIMEOUT_MS })
      const ack = reply.json<Ack>()
      if (ack.error !== undefined) return { ok: false, reason: ack.error.err_code === WRONG_SEQUENCE ? "conflict" : "unknown" }
      this.heard(key, value === "" && key.startsWith("node.") ? null : value, ack.seq ?? 0)
      return { ok: true, revision: ack.seq ?? 0 }
    } catch {
      return { ok: false, reason: "unknown" }
    }
  }

  async ping(session: string): Promise<Ping> {
    try {
      await this.nats.request(subjects.nodePing(session), undefined, { timeout: PING_TIMEOUT_MS })
      return "pong"
    } catch (error) {
      return nobodyListens(error) ? "gone" : "silent"
    }
  }

  /** Resolves when everything that stands in the bucket has been applied to the view. */
  async watch(manager: JetStreamManager): Promise<void> {
    const stream = `KV_${buckets.leases}`
    let pending = (await manager.streams.info(stream, { subjects_filter: ">" })).state.num_subjects ?? 0
    return new Promise((resolve, reject) => {
      if (pending === 0) resolve()
      followStream(this.nats, stream, "last-per-subject", (message) => {
        const key = message.subject.slice(PREFIX.length)
        const gone = message.headers?.get("KV-Operation") === "DEL" || (message.headers?.get("Nats-Marker-Reason") ?? "") !== ""
        this.heard(key, gone ? null : message.string(), message.seq)
        if (pending > 0 && --pending === 0) resolve()
      }).catch(reject)
    })
  }

  private heard(key: string, value: string | null, revision: number): void {
    if (revision <= this.revision(key)) return
    this.revisions.set(key, revision)
    this.view.apply(key, value)
  }
}
