/**
 * Writes entries into an agent's vault with a token, but cannot read any. It is for a bank, a person, or a program of
 * the owner.
 *
 *   const source = createClient({ hub: "https://hub.example", sourceToken })
 *   await source.write({ kind: "secret", origins: ["https://shop.example"], value })
 */
import type { Answer } from "./answer.ts"
import type { DataOf } from "./calls.ts"
import type { ConnectionOptions } from "./connection.ts"
import { clientError, invalid } from "./errors.ts"
import type { SendOptions, Transport } from "./transport.ts"
import { type EntryToSeal, type SealedEntry, sealEntry } from "./vault.ts"

/** The form of tokens that the service makes (schemas/vault/token.ts). */
const SOURCE_TOKEN = /^hxs_[0-9a-f]{24}[A-Za-z0-9_-]{43}$/

export interface SourceOptions extends ConnectionOptions {
  /** The token `hxs_…` that the agent got. */
  readonly sourceToken: string
}

type VaultToSeal = DataOf<"GET", "/vault/source">

export type SourceCallOptions = Pick<SendOptions, "idempotencyKey" | "signal" | "timeoutMs">

export interface WrittenEntry {
  readonly id: number
  readonly uid: string
}

export class SourceClient {
  readonly #transport: Transport
  readonly #token: string

  constructor(transport: Transport, token: string) {
    if (!SOURCE_TOKEN.test(token)) throw invalid("sourceToken", "must be a source's token: hxs_…")
    this.#transport = transport
    this.#token = token
  }

  /** Gets the vault of the token: its agent, its public key, and the kinds that the source may write. */
  async vault(options: SourceCallOptions = {}): Promise<VaultToSeal> {
    const { data } = await this.#send("GET", "/vault/source", options)
    if (!isVault(data)) throw clientError("answer_malformed", "the service tells of no vault")
    return data
  }

  async sealEntry(entry: EntryToSeal, options: SourceCallOptions = {}): Promise<SealedEntry> {
    return sealEntry(await this.vault(options), entry)
  }

  /** Stores an entry that `sealEntry` made. */
  async writeEntry(sealed: SealedEntry, options: SourceCallOptions = {}): Promise<WrittenEntry> {
    const { data } = await this.#send("POST", "/vault/entries", { ...options, body: sealed })
    return data as WrittenEntry
  }

  async write(entry: EntryToSeal, options: SourceCallOptions = {}): Promise<WrittenEntry> {
    return this.writeEntry(await this.sealEntry(entry, options), options)
  }

  #send(method: "GET" | "POST", target: string, options: SendOptions): Promise<Answer> {
    return this.#transport.send(method, target, null, { ...options, token: this.#token })
  }
}

const isVault = (data: unknown): data is VaultToSeal =>
  typeof data === "object" && data !== null && "kinds" in data && Array.isArray(data.kinds) && "public_key" in data
