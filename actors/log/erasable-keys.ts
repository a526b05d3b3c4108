/**
 * Keys, each of somebody or something that may be erased: what is theirs stands in log, snapshots and tables sealed
 * under it.
 *
 * Invariants
 *  - One key an owner, made before its owner is, never changed. It stands in a stream of its own, sealed under a key of
 *    the service, and nowhere else but in the memory of a node, for a minute.
 *  - Erased with its owner: the server writes over its bytes. From then on nobody opens what is left in the log, in
 *    snapshots or tables; backups forget it with their next run.
 *  - Folding events needs no key: states hold sealed values as they are.
 */
import { randomBytes } from "node:crypto"
import { headers, type NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import { eraseAll } from "./erase.ts"
import { lastMessage, leaderMessage } from "./last-message.ts"
import { requestStream } from "./requests.ts"
import { Sealer } from "./seal.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"

const KEY_BYTES = 32
const TIMEOUT_MS = 3000
/** Keys in memory, and how long one stays there. */
const CACHED_MAX = 1000
const CACHED_MS = 60_000

const text = new TextDecoder()

interface Cached {
  readonly sealer: Sealer
  readonly until: number
}

export interface KeyPlace {
  readonly stream: string
  readonly subjectOf: (owner: string) => string
  /** Binds a sealed key to its owner. */
  readonly purposeOf: (owner: string) => string
  /** The purpose of the key itself. */
  readonly use: string
  /** The refusal if keys cannot be read or written now. */
  readonly unreachable: Refusal
}

export class ErasableKeys {
  private readonly nats: NatsConnection
  private readonly master: Sealer
  private readonly place: KeyPlace
  private readonly cached = new Map<string, Cached>()

  constructor(nats: NatsConnection, master: Sealer, place: KeyPlace) {
    this.nats = nats
    this.master = master
    this.place = place
  }

  /** The sealer of an owner; `null` once its key is erased, or if there never was one. */
  of(owner: string): Effect.Effect<Sealer | null, Refusal> {
    return Clock.clockWith((clock) => {
      const cached = this.cached.get(owner)
      if (cached !== undefined && cached.until > wallMs(clock)) return Effect.succeed(cached.sealer)
      return this.asked(() => this.read(owner, clock))
    })
  }

  /** The same of one that is made where there is none yet: a command that is repeated finds its own. */
  make(owner: string): Effect.Effect<Sealer, Refusal> {
    return this.asked(async (clock) => {
      const sealed = this.master.seal(randomBytes(KEY_BYTES).toString("base64url"), this.place.purposeOf(owner))
      const more = headers()
      more.set("Nats-Expected-Last-Subject-Sequence", "0")
      await requestStream(this.nats, this.place.subjectOf(owner), sealed, { headers: more, timeout: TIMEOUT_MS })
      const found = await this.read(owner, clock)
      if (found === null) throw new Error("A key was not kept")
      return found
    })
  }

  /** A repeated erasure finds nothing, and succeeds. */
  erase(owner: string): Effect.Effect<void, Refusal> {
    return this.asked(async () => {
      this.cached.delete(owner)
      const { stream, subjectOf } = this.place
      await eraseAll(this.nats, stream, subjectOf(owner), TIMEOUT_MS)
    })
  }

  /** True if the oldest key opens under the service's own, or where there is none. Rejects when the stream is silent. */
  async opens(): Promise<boolean> {
    const { stream, subjectOf, purposeOf } = this.place
    for (let from = 1; ;) {
      const next = await leaderMessage(this.nats, stream, { seq: from, next_by_subj: subjectOf("*") }, TIMEOUT_MS)
      if (next === null) return true
      from = next.seq + 1
      if (next.data.length === 0) continue
      const owner = next.subject.split(".").at(-1) ?? ""
      try {
        this.master.open(text.decode(next.data), purposeOf(owner))
        return true
      } catch {
        return false
      }
    }
  }

  protected async read(owner: string, clock: Clock.Clock): Promise<Sealer | null> {
    const { stream, subjectOf, purposeOf, use } = this.place
    const last = await lastMessage(this.nats, stream, subjectOf(owner), TIMEOUT_MS)
    if (last === null || last.data.length === 0) return null
    const key = Buffer.from(this.master.open(text.decode(last.data), purposeOf(owner)), "base64url")
    const sealer = new Sealer(key, use)
    this.cached.set(owner, { sealer, until: wallMs(clock) + CACHED_MS })
    if (this.cached.size > CACHED_MAX) this.cached.delete(this.cached.keys().next().value ?? "")
    return sealer
  }

  protected asked<A>(request: (clock: Clock.Clock) => Promise<A>): Effect.Effect<A, Refusal> {
    return Clock.clockWith((clock) =>
      Effect.tryPromise({ try: () => request(clock), catch: () => this.place.unreachable })
    )
  }
}
