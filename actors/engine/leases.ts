/** The lease bucket on JetStream: compare-and-set writes, a watch, pings. See placement.ts. */
import { headers, type MsgHdrs, type NatsConnection, NoRespondersError, RequestError } from "@nats-io/transport-node"
import { Effect, type Scope } from "effect"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { LEASE_PREFIX, type LeaseView } from "../../schemas/runtime/bus/lease-view.ts"
import { LeaseWatch } from "../../schemas/runtime/bus/lease-watch.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { buckets, subjects } from "../../schemas/subjects.ts"
import { newInbox } from "../log/inbox.ts"
import { WRONG_LAST_SEQUENCE } from "../log/jetstream-codes.ts"
import { lastMessage } from "../log/last-message.ts"
import { listeningOnLine } from "../log/renewal.ts"
import { requestsOf } from "../log/requests.ts"
import type { LeaseStore, Ping, Unwritten } from "./ports.ts"

const WRITE_TIMEOUT_MS = 2000
const PING_TIMEOUT_MS = 200

const text = new TextDecoder()

interface Ack {
  readonly seq?: number
  readonly error?: { readonly err_code?: number }
}

export class KvLeases implements LeaseStore {
  private readonly nats: NatsConnection
  private readonly leases: LeaseWatch

  private constructor(nats: NatsConnection, leases: LeaseWatch) {
    this.nats = nats
    this.leases = leases
  }

  /**
   * Watches the bucket for as long as the scope is open. Succeeds once everything in the bucket has been applied to the
   * view.
   */
  static watching(nats: NatsConnection, view: LeaseView): Effect.Effect<KvLeases, never, Scope.Scope> {
    return Effect.gen(function* () {
      const onProblem = (error: unknown): void => logNow("warn", "leases", { error })
      const watch = new LeaseWatch({ clock: machineClock, nats, inbox: newInbox(nats), view, onProblem })
      yield* listeningOnLine(nats, (change) => {
        if (change === "renewed") watch.renewed()
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => watch.stop()))
      yield* Effect.promise(() => watch.start())
      return new KvLeases(nats, watch)
    })
  }

  revision(key: string): number {
    return this.leases.revision(key)
  }

  put(key: string, value: string, expected: number, ttlSeconds?: number): Effect.Effect<number, Unwritten> {
    const more = headers()
    if (ttlSeconds !== undefined) more.set("Nats-TTL", `${ttlSeconds}s`)
    return this.write(key, value, expected, more)
  }

  remove(key: string, expected: number): Effect.Effect<number, Unwritten> {
    const more = headers()
    more.set("KV-Operation", "DEL")
    more.set("Nats-TTL", "60s")
    return this.write(key, "", expected, more)
  }

  private write(key: string, value: string, expected: number, more: MsgHdrs): Effect.Effect<number, Unwritten> {
    more.set("Nats-Expected-Last-Subject-Sequence", String(expected))
    const asked = Effect.tryPromise({
      try: async () => {
        const reply = await requestsOf(this.nats).request(LEASE_PREFIX + key, value, WRITE_TIMEOUT_MS, more)
        return reply?.json<Ack>()
      },
      catch: () => "unknown" as const
    })
    return Effect.flatMap(asked, (ack): Effect.Effect<number, Unwritten> => {
      if (ack === undefined) return Effect.fail("unknown")
      if (ack.error !== undefined)
        return Effect.fail(ack.error.err_code === WRONG_LAST_SEQUENCE ? "conflict" : "unknown")
      const revision = ack.seq ?? 0
      this.heard(key, value, revision)
      return Effect.succeed(revision)
    })
  }

  refresh(key: string): Effect.Effect<void> {
    const latest = Effect.tryPromise(() =>
      lastMessage(this.nats, `KV_${buckets.leases}`, LEASE_PREFIX + key, WRITE_TIMEOUT_MS)
    )
    return Effect.ignore(
      Effect.map(latest, (message) => {
        if (message !== null) this.heard(key, text.decode(message.data), message.seq)
      })
    )
  }

  private heard(key: string, value: string, revision: number): void {
    this.leases.heard(key, value === "" && key.startsWith("node.") ? null : value, revision)
  }

  /** Uses the request function of the connection itself, because its timeout is exact. */
  ping(session: string): Effect.Effect<Ping> {
    return Effect.tryPromise({
      try: () => this.nats.request(subjects.nodePing(session), undefined, { timeout: PING_TIMEOUT_MS }),
      catch: (error) => (nobodyListens(error) ? "gone" : "silent")
    }).pipe(Effect.match({ onSuccess: () => "pong", onFailure: (heard) => heard }))
  }
}

const nobodyListens = (error: unknown): boolean =>
  error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders())
