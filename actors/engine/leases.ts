/** The lease bucket on JetStream: compare-and-set writes, a watch, pings. See placement.ts. */
import { headers, type NatsConnection, NoRespondersError, RequestError } from "@nats-io/transport-node"
import { LEASE_PREFIX, type LeaseView } from "../../schemas/runtime/bus/lease-view.ts"
import { LeaseWatch } from "../../schemas/runtime/bus/lease-watch.ts"
import { subjects } from "../../schemas/subjects.ts"
import { newInbox } from "../log/inbox.ts"
import { WRONG_LAST_SEQUENCE } from "../log/jetstream-codes.ts"
import { onRenewal } from "../log/renewal.ts"
import { requestsOf } from "../log/requests.ts"
import { type LeaseStore, type Ping, PING_TIMEOUT_MS, type Written } from "./placement.ts"

const WRITE_TIMEOUT_MS = 2000

interface Ack {
  readonly seq?: number
  readonly error?: { readonly err_code?: number }
}

export class KvLeases implements LeaseStore {
  private readonly nats: NatsConnection
  private readonly leases: LeaseWatch

  constructor(nats: NatsConnection, view: LeaseView) {
    this.nats = nats
    const onProblem = (error: unknown): void =>
      console.error(JSON.stringify({ level: "warn", at: "leases", error: String(error) }))
    this.leases = new LeaseWatch({ nats, inbox: newInbox(nats), view, onProblem })
  }

  revision(key: string): number {
    return this.leases.revision(key)
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

  private async write(
    key: string,
    value: string,
    expected: number,
    more: ReturnType<typeof headers>
  ): Promise<Written> {
    more.set("Nats-Expected-Last-Subject-Sequence", String(expected))
    try {
      const reply = await requestsOf(this.nats).request(LEASE_PREFIX + key, value, WRITE_TIMEOUT_MS, more)
      if (reply === null) return { ok: false, reason: "unknown" }
      const ack = reply.json<Ack>()
      if (ack.error !== undefined)
        return { ok: false, reason: ack.error.err_code === WRONG_LAST_SEQUENCE ? "conflict" : "unknown" }
      this.leases.heard(key, value === "" && key.startsWith("node.") ? null : value, ack.seq ?? 0)
      return { ok: true, revision: ack.seq ?? 0 }
    } catch {
      return { ok: false, reason: "unknown" }
    }
  }

  /** By the connection's own request, whose time is exact: that one is late is what is asked. */
  async ping(session: string): Promise<Ping> {
    try {
      await this.nats.request(subjects.nodePing(session), undefined, { timeout: PING_TIMEOUT_MS })
      return "pong"
    } catch (error) {
      return nobodyListens(error) ? "gone" : "silent"
    }
  }

  /** Resolves when everything that stands in the bucket has been applied to the view. */
  watch(): Promise<void> {
    onRenewal(this.nats, () => this.leases.renewed())
    return this.leases.start()
  }
}

const nobodyListens = (error: unknown): boolean =>
  error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders())
