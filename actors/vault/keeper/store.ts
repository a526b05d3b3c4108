/**
 * The keeper's store, in a stream that no other role of the service may read. It holds sealed private keys of vaults,
 * and hashes of the tokens that they are given out for.
 */
import { headers, type NatsConnection } from "@nats-io/transport-node"
import { Effect, Schema } from "effect"
import type { Queries } from "../../../schemas/bus/operations.ts"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { eraseAll, eraseMessage } from "../../log/erase.ts"
import { WRONG_LAST_SEQUENCE } from "../../log/jetstream-codes.ts"
import { lastMessage, leaderMessage } from "../../log/last-message.ts"
import { requestStream } from "../../log/requests.ts"
import type { KeySealing } from "./sealing.ts"
import type { PlaceTokens } from "./tokens.ts"

const TIMEOUT_MS = 3000
/** The most keys that `rewrap` looks at in one call. A query has some seconds, and each key takes up to four requests. */
const REWRAPPED_AT_ONCE = 40

const KeptKey = Schema.Struct({
  v: Schema.Literal(1),
  vault: Schema.String,
  public_key: Schema.String,
  /** The sealed private key in base64. */
  sealed: Schema.String
})
const readKey = Schema.decodeUnknownSync(Schema.fromJsonString(KeptKey))

const ofToken = {
  /** The sha256 of the token, in hex. */
  hash: Schema.String,
  vault: Schema.String,
  /** The sha256 of the one-time key that the token was used with; `null` before that. */
  ephemeral: Schema.NullOr(Schema.String)
}

/**
 * The tokens of a place. The newest one has its fields at the top, because older releases read and write only that one.
 * They write no `order` and no `earlier`.
 */
const KeptTokens = Schema.Struct({
  v: Schema.Literal(1),
  ...ofToken,
  order: Schema.optionalKey(Schema.Int),
  earlier: Schema.optionalKey(Schema.Array(Schema.Struct({ ...ofToken, order: Schema.Int })))
})
const readTokens = Schema.decodeUnknownSync(Schema.fromJsonString(KeptTokens))

export interface PrivateKey {
  readonly public_key: string
  /** The 32 bytes of the key; the caller overwrites them. */
  readonly bytes: Buffer
}

const AWAY = unavailable("The keeper's store does not answer. It is safe to try again.")

export const stored = <A>(act: () => Promise<A>): Effect.Effect<A, Refusal> =>
  Effect.tryPromise({
    try: act,
    catch: (error) => {
      logNow("error", "keeper", { error: String(error) })
      return AWAY
    }
  })

const text = new TextDecoder()

export class KeeperStore {
  private readonly nats: NatsConnection
  private readonly sealing: KeySealing

  constructor(nats: NatsConnection, sealing: KeySealing) {
    this.nats = nats
    this.sealing = sealing
  }

  /**
   * Stores the first key pair of a vault: if two are made at the same time, one is kept. Resolves to the valid public
   * key.
   */
  async keep(vault: string, { bytes, public_key }: PrivateKey): Promise<string> {
    const sealed = this.sealing.seal(bytes, vault).toString("base64")
    await this.put(subjects.vaultKey(vault), { v: 1, vault, public_key, sealed }, 0)
    const kept = await this.publicKeyOf(vault)
    if (kept === null) throw new Error("A private key was not kept")
    return kept
  }

  async publicKeyOf(vault: string): Promise<string | null> {
    const last = await this.last(subjects.vaultKey(vault))
    return last === null ? null : readKey(text.decode(last.data)).public_key
  }

  async privateKeyOf(vault: string): Promise<PrivateKey | null> {
    const last = await this.last(subjects.vaultKey(vault))
    if (last === null) return null
    const { public_key, sealed } = readKey(text.decode(last.data))
    return { public_key, bytes: this.sealing.open(Buffer.from(sealed, "base64"), vault) }
  }

  eraseKey(vault: string): Promise<void> {
    return eraseAll(this.nats, streams.vaultKeys, subjects.vaultKey(vault), TIMEOUT_MS)
  }

  /** The secret of a token. The same request gets the same one. */
  tokenFor(agent: string, place: string, request: string): string {
    return this.sealing.tokenOf(agent, place, request).toString("base64url")
  }

  async tokensAt(agent: string, place: string): Promise<PlaceTokens> {
    const last = await lastMessage(this.nats, streams.vaultKeys, subjects.vaultToken(agent, place), TIMEOUT_MS)
    if (last === null || last.data.length === 0) return { seq: last?.seq ?? 0, tokens: [] }
    const { hash, vault, ephemeral, order = 0, earlier = [] } = readTokens(text.decode(last.data))
    return { seq: last.seq, tokens: [{ hash, vault, ephemeral, order }, ...earlier] }
  }

  /** `seq`: the message that these tokens replace. Resolves to `false` if another one has replaced it. */
  keepTokens(agent: string, place: string, tokens: PlaceTokens["tokens"], seq: number): Promise<boolean> {
    const [newest, ...earlier] = tokens
    return this.put(subjects.vaultToken(agent, place), { v: 1, ...newest, earlier }, seq)
  }

  /** True if one of the service's keys opens the oldest entry, or if there is none yet. */
  async opens(): Promise<boolean> {
    let from = 1
    for (;;) {
      const next = await leaderMessage(
        this.nats,
        streams.vaultKeys,
        { seq: from, next_by_subj: subjects.vaultKeys },
        TIMEOUT_MS
      )
      if (next === null) return true
      from = next.seq + 1
      if (next.data.length === 0) continue
      const { vault, sealed } = readKey(text.decode(next.data))
      try {
        this.sealing.open(Buffer.from(sealed, "base64"), vault).fill(0)
        return true
      } catch {
        return false
      }
    }
  }

  /**
   * Seals keys again that are sealed under a former HUB_VAULT_KEY, and erases the replaced ones. It looks at some keys
   * from the sequence `from` on. A key that does not open stays as it is.
   */
  async rewrap(from: number): Promise<Queries["keeper_rewrap"]["output"]> {
    let [seq, keys, current] = [from, 0, 0]
    const unopened: Array<string> = []
    for (let looks = 0; looks < REWRAPPED_AT_ONCE; looks++) {
      const wanted = { seq, next_by_subj: subjects.vaultKeys }
      const next = await leaderMessage(this.nats, streams.vaultKeys, wanted, TIMEOUT_MS)
      if (next === null) return { keys, current, unopened, next: null }
      seq = next.seq + 1
      if (next.data.length === 0) continue
      const key = readKey(text.decode(next.data))
      const box = Buffer.from(key.sealed, "base64")
      if (this.sealing.isCurrent(box)) {
        current++
        continue
      }
      const anew = this.sealedAnew(box, key.vault)
      if (anew === null) {
        unopened.push(key.vault)
        continue
      }
      const subject = subjects.vaultKey(key.vault)
      await this.put(subject, { ...key, sealed: anew }, next.seq)
      // This also removes messages that an interrupted run has left, but never the only message of a subject.
      const newest = await this.last(subject)
      if (newest !== null && newest.seq > next.seq)
        await eraseMessage(this.nats, streams.vaultKeys, next.seq, TIMEOUT_MS)
      keys++
    }
    return { keys, current, unopened, next: seq }
  }

  private sealedAnew(box: Uint8Array, vault: string): string | null {
    let bytes: Buffer
    try {
      bytes = this.sealing.open(box, vault)
    } catch {
      return null
    }
    const anew = this.sealing.seal(bytes, vault).toString("base64")
    bytes.fill(0)
    return anew
  }

  private last(subject: string) {
    return lastMessage(this.nats, streams.vaultKeys, subject, TIMEOUT_MS).then((found) =>
      found === null || found.data.length === 0 ? null : found
    )
  }

  /**
   * `seq`: the message that this one replaces. If the subject has another one by then, nothing changes, and the result
   * is `false`.
   */
  private async put(subject: string, value: object, seq: number): Promise<boolean> {
    const more = headers()
    more.set("Nats-Expected-Last-Subject-Sequence", String(seq))
    const reply = await requestStream(this.nats, subject, JSON.stringify(value), { headers: more, timeout: TIMEOUT_MS })
    const { error } = reply.json<{ readonly error?: { readonly err_code?: number; readonly description?: string } }>()
    if (error !== undefined && error.err_code !== WRONG_LAST_SEQUENCE)
      throw new Error(`the keeper's store refused: ${error.description ?? "unknown error"}`)
    return error === undefined
  }
}
