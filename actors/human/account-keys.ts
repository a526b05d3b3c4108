/**
 * The keys of human accounts: what is a person's own stands in the log sealed under the key of that account.
 *
 * Invariants
 *  - One key an account, made before the account is, never changed. It stands in a stream of its own, sealed under the
 *    service's seed, and nowhere else but in the memory of a node, for a minute.
 *  - Erased with the account: the server writes over its bytes. From then on nobody opens what is left in the log, in
 *    snapshots or tables; backups forget it with their next run.
 *  - Whoever folds events needs no key: states hold what is sealed, as it is.
 */
import { randomBytes } from "node:crypto"
import { headers, type NatsConnection } from "@nats-io/transport-node"
import { Effect } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { lastMessage } from "../log/last-message.ts"
import { requestStream } from "../log/requests.ts"
import { Sealer } from "../log/seal.ts"

const KEY_BYTES = 32
const TIMEOUT_MS = 3000
/** Keys in memory, and how long one stays there. */
const CACHED_MAX = 1000
const CACHED_MS = 60_000

const NO_KEYS = unavailable("What is known of this person cannot be opened at the moment. It is safe to try again.")

const text = new TextDecoder()

const purposeOf = (human: string): string => `account ${human}`

interface Cached {
  readonly sealer: Sealer
  readonly until: number
}

export class AccountKeys {
  private readonly nats: NatsConnection
  private readonly service: Sealer
  private readonly cached = new Map<string, Cached>()
  /** Who is not there, and until when that is known. */
  private readonly absent = new Map<string, number>()

  constructor(nats: NatsConnection, seed: Uint8Array) {
    this.nats = nats
    this.service = new Sealer(seed, "hub account keys")
  }

  /** What seals and opens for an account; `null` once it is erased, or where there never was one. */
  of(human: string): Effect.Effect<Sealer | null, Refusal> {
    return Effect.suspend(() => {
      const cached = this.cached.get(human)
      if (cached !== undefined && cached.until > Date.now()) return Effect.succeed(cached.sealer)
      return asked(() => this.read(human))
    })
  }

  /** As much work, as often, for somebody who is not there: nobody shall tell by it who is. */
  ofNobody(human: string): Effect.Effect<void, Refusal> {
    return Effect.suspend(() => {
      if ((this.absent.get(human) ?? 0) > Date.now()) return Effect.void
      return asked(async () => {
        await this.read(human)
        this.absent.delete(human)
        this.absent.set(human, Date.now() + CACHED_MS)
        if (this.absent.size > CACHED_MAX) this.absent.delete(this.absent.keys().next().value ?? "")
      })
    })
  }

  /** The same of one that is made where there is none yet: a command that is repeated finds its own. */
  make(human: string): Effect.Effect<Sealer, Refusal> {
    return asked(async () => {
      const sealed = this.service.seal(randomBytes(KEY_BYTES).toString("base64url"), purposeOf(human))
      const more = headers()
      more.set("Nats-Expected-Last-Subject-Sequence", "0")
      await requestStream(this.nats, subjects.accountKey(human), sealed, { headers: more, timeout: TIMEOUT_MS })
      const found = await this.read(human)
      if (found === null) throw new Error("The key of an account was not kept")
      return found
    })
  }

  /** Whoever asks again finds nothing, and that is well. */
  erase(human: string): Effect.Effect<void, Refusal> {
    return asked(async () => {
      this.cached.delete(human)
      const last = await lastMessage(this.nats, streams.people, subjects.accountKey(human), TIMEOUT_MS)
      if (last === null) return
      const wanted = JSON.stringify({ seq: last.seq, no_erase: false })
      const reply = await requestStream(this.nats, `$JS.API.STREAM.MSG.DELETE.${streams.people}`, wanted, {
        timeout: TIMEOUT_MS
      })
      if (reply.json<{ success?: boolean }>().success !== true) throw new Error("The key of an account was not erased")
    })
  }

  private async read(human: string): Promise<Sealer | null> {
    const last = await lastMessage(this.nats, streams.people, subjects.accountKey(human), TIMEOUT_MS)
    if (last === null || last.data.length === 0) return null
    const key = Buffer.from(this.service.open(text.decode(last.data), purposeOf(human)), "base64url")
    const sealer = new Sealer(key, "hub account")
    this.cached.set(human, { sealer, until: Date.now() + CACHED_MS })
    if (this.cached.size > CACHED_MAX) this.cached.delete(this.cached.keys().next().value ?? "")
    return sealer
  }
}

const asked = <A>(request: () => Promise<A>): Effect.Effect<A, Refusal> =>
  Effect.tryPromise({ try: request, catch: () => NO_KEYS })
