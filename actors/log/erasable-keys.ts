/**
 * Encryption keys of owners that may be erased. The owner's data is sealed under its key in the log, in snapshots and
 * in tables.
 *
 * Invariants
 *  - Each owner has one key. It is made before the owner, and never changes. It is stored in a separate stream, sealed
 *    under a key of the service. Apart from backups, other copies are only in the memory of processes.
 *  - When the owner is erased, the server overwrites the key's bytes. Each process has forgotten the key KEPT_MS after
 *    it asked for it, whether or not it is used again. Backups drop it with their next run. Then nobody can open what is
 *    left in the log, in snapshots or in tables.
 *  - Folding events needs no key, because states hold the sealed values as they are.
 */
import { randomBytes } from "node:crypto"
import { headers, type NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import { eraseAll } from "./erase.ts"
import { lastMessage, leaderMessage } from "./last-message.ts"
import { requestStream } from "./requests.ts"
import { Sealer } from "./seal.ts"
import { after, type Cancel, monotonicMs } from "../../schemas/runtime/clock.ts"

const KEY_BYTES = 32
const TIMEOUT_MS = 3000
/** The most keys in memory. */
const KEPT_MAX = 1000
/** The time after which a process has forgotten a key. An erased key is used no longer than this. */
const KEPT_MS = 60_000

const text = new TextDecoder()

interface Kept {
  readonly sealer: Sealer
  /** Monotonic ms. A process that was frozen forgets late, and must not use the key before. */
  readonly until: number
  readonly cancel: Cancel
}

export interface KeyPlace {
  readonly stream: string
  readonly subjectOf: (owner: string) => string
  /** The purpose that binds a sealed key to its owner. */
  readonly purposeOf: (owner: string) => string
  /** Separates the keys that are derived from the owner's key (`Sealer`). */
  readonly use: string
  readonly unreachable: Refusal
}

export class ErasableKeys {
  private readonly nats: NatsConnection
  private readonly master: Sealer
  private readonly place: KeyPlace
  private readonly kept = new Map<string, Kept>()

  constructor(nats: NatsConnection, master: Sealer, place: KeyPlace) {
    this.nats = nats
    this.master = master
    this.place = place
  }

  /** The sealer of an owner; `null` if its key was erased or never existed. */
  of(owner: string): Effect.Effect<Sealer | null, Refusal> {
    return Clock.clockWith((clock) => {
      const kept = this.kept.get(owner)
      if (kept !== undefined && kept.until > monotonicMs(clock)) return Effect.succeed(kept.sealer)
      return this.asked(() => this.read(owner, clock))
    })
  }

  /** The sealer of an owner, with a new key if it has none yet. A repeated command finds the key that it made. */
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

  /** Erases an owner's key. A repeated erasure finds nothing and succeeds. */
  erase(owner: string): Effect.Effect<void, Refusal> {
    return this.asked(async () => {
      const { stream, subjectOf } = this.place
      await eraseAll(this.nats, stream, subjectOf(owner), TIMEOUT_MS)
      this.forget(owner)
    })
  }

  /**
   * True if the oldest key opens under the service's key, or if there is no key yet. Rejects if the stream does not
   * answer.
   */
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

  private async read(owner: string, clock: Clock.Clock): Promise<Sealer | null> {
    const { stream, subjectOf, purposeOf, use } = this.place
    const asked = monotonicMs(clock)
    const last = await lastMessage(this.nats, stream, subjectOf(owner), TIMEOUT_MS)
    if (last === null || last.data.length === 0) return null
    const key = Buffer.from(this.master.open(text.decode(last.data), purposeOf(owner)), "base64url")
    const sealer = new Sealer(key, use)
    this.keep(owner, sealer, asked + KEPT_MS, clock)
    return sealer
  }

  private keep(owner: string, sealer: Sealer, until: number, clock: Clock.Clock): void {
    this.forget(owner)
    const cancel = after(clock, Math.max(0, until - monotonicMs(clock)), () => this.forget(owner), "unref")
    this.kept.set(owner, { sealer, until, cancel })
    if (this.kept.size > KEPT_MAX) this.forget(this.kept.keys().next().value ?? "")
  }

  private forget(owner: string): void {
    this.kept.get(owner)?.cancel()
    this.kept.delete(owner)
  }

  private asked<A>(request: (clock: Clock.Clock) => Promise<A>): Effect.Effect<A, Refusal> {
    return Clock.clockWith((clock) =>
      Effect.tryPromise({ try: () => request(clock), catch: () => this.place.unreachable })
    )
  }
}
