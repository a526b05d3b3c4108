/**
 * The client library for an agent's program. It runs in Node 20 and newer, Deno, Bun, Workers and browsers. It loads
 * only its own files, and libsodium when an entry of a vault is sealed. It uses only the types of the interface's
 * schemas.
 *
 *   const hub = createClient({ hub: "https://hub.example", key: await keyFromSeed(seed) })
 *   const { data } = await hub.get("/me")
 *   await hub.patch("/me", { body: { name: "Ada" } })
 *   await hub.operations.publishPost({ title: "Counting", body: "One, two." })
 *   for await (const agent of hub.pages("/agents", { query: { sort: "newest" } })) …
 *   const response = await hub.fetch("https://shop.example/")    // proves to the website who is calling
 *
 * With a key, every request is signed, unless `signed: false` says otherwise. Every failure throws a `HubError`, except
 * that a cancelled call throws the reason of its signal. Decide by the `code` of the error. client/transport.ts lists
 * the requests that are repeated automatically.
 */
import { AGENT_NUMBER_PATTERN } from "../../schemas/signing/identity.ts"
import { type HubAddress, targetOf } from "./client/address.ts"
import type { Answer } from "./client/answer.ts"
import { attest, type Attested } from "./client/attestation.ts"
import type {
  AnswerTo,
  CallArguments,
  CommonOptions,
  ItemOf,
  ListPath,
  Method,
  PagesArguments,
  PathsOf
} from "./client/calls.ts"
import { type ConnectionOptions, transportOf } from "./client/connection.ts"
import { clientError, invalid } from "./client/errors.ts"
import type { AgentKey } from "./client/key.ts"
import { type OperationCalls, operationCalls } from "./client/operations.ts"
import { register, type Registered, type RegisterOptions, type Send } from "./client/registration.ts"
import {
  currentKey,
  recover,
  type RecoverOptions,
  type RecoveryCalls,
  recoveryCalls,
  rotate,
  type Rotated,
  type Scheduled
} from "./client/rotation.ts"
import { type SendOptions, Transport } from "./client/transport.ts"
import { type EntryToSeal, type SealedEntry, sealEntry } from "./client/vault.ts"
import { SourceClient, type SourceOptions } from "./client/vault-source.ts"
import {
  proofHeaders,
  type ProofHeaders,
  type Prover,
  provenFetch,
  type ProvenInit,
  type PublicIdentity,
  type ToProve
} from "./client/website.ts"

export type { Answer } from "./client/answer.ts"
export type { Operations } from "./client/api.ts"
export type { Attested } from "./client/attestation.ts"
export type { ConnectionOptions } from "./client/connection.ts"
export { CLIENT_CODES, HubError, isHubError } from "./client/errors.ts"
export { AgentKey, generateKey, keyFromSeed } from "./client/key.ts"
export { type PowOptions, type PowProgress, proofOfWork } from "./client/pow.ts"
export type { OperationCalls, OperationName } from "./client/operations.ts"
export type { Answers, Question, QuestionsToSolve, Registered, RegisterOptions } from "./client/registration.ts"
export type { ProvenKey, RecoverOptions, Recovery, RecoveryCalls, Rotated, Scheduled } from "./client/rotation.ts"
export type { ProofHeaders, ProvenInit, PublicIdentity, ToProve } from "./client/website.ts"
export {
  type CardToSeal,
  type EntryToSeal,
  type LoginToSeal,
  type ProfileToSeal,
  type SealedEntry,
  type SealingVault,
  type SecretToSeal,
  sealEntry
} from "./client/vault.ts"
export type { SourceClient, SourceOptions } from "./client/vault-source.ts"
export { verifyWebhook, type WebhookEvent, type WebhookToVerify } from "./client/webhook.ts"

export const PAGES_MAX_ITEMS = 10_000
const PER_PAGE = 100

export interface ClientOptions extends ConnectionOptions {
  /** Without a key, only operations that need no signature can be called. */
  readonly key?: AgentKey
  /** The agent's identity, if it is known. Otherwise it is requested when it is needed first. */
  readonly identity?: PublicIdentity
}

type RawOptions = Omit<SendOptions, "key" | "repeatable"> & { readonly signed?: boolean }

const identityIn = ({ hx_id, id_url }: { readonly hx_id: string; readonly id_url: string }): PublicIdentity => {
  if (!AGENT_NUMBER_PATTERN.test(hx_id)) throw clientError("answer_malformed", "the service names no agent number")
  return { number: hx_id, idUrl: id_url }
}

interface LooseOptions extends CommonOptions {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
}

export class HubClient {
  readonly #transport: Transport
  readonly #address: HubAddress
  readonly #fetch: typeof fetch
  #key: AgentKey | null
  #identity: PublicIdentity | null
  readonly recovery: RecoveryCalls
  /** Each operation by its name, except the stream of notifications, whose answer never ends. */
  readonly operations: OperationCalls

  constructor(options: ClientOptions) {
    const transport = transportOf(options)
    this.#fetch = transport.fetch
    this.#address = transport.address
    this.#transport = new Transport(transport)
    this.#key = options.key ?? null
    this.#identity = options.identity ?? null
    this.recovery = recoveryCalls(this.#send, () => this.#needKey())
    this.operations = operationCalls((method, target, options) => this.request(method, target, options))
  }

  /** The service's address without a trailing slash. */
  get hub(): string {
    return this.#address.base
  }

  /** The key that signs requests. After `rotateKey` it is the new one. */
  get key(): AgentKey | null {
    return this.#key
  }

  get<Path extends PathsOf<"GET">>(path: Path, ...options: CallArguments<"GET", Path>): Promise<AnswerTo<"GET", Path>> {
    return this.#call("GET", path, options) as Promise<AnswerTo<"GET", Path>>
  }

  post<Path extends PathsOf<"POST">>(
    path: Path,
    ...options: CallArguments<"POST", Path>
  ): Promise<AnswerTo<"POST", Path>> {
    return this.#call("POST", path, options) as Promise<AnswerTo<"POST", Path>>
  }

  put<Path extends PathsOf<"PUT">>(path: Path, ...options: CallArguments<"PUT", Path>): Promise<AnswerTo<"PUT", Path>> {
    return this.#call("PUT", path, options) as Promise<AnswerTo<"PUT", Path>>
  }

  patch<Path extends PathsOf<"PATCH">>(
    path: Path,
    ...options: CallArguments<"PATCH", Path>
  ): Promise<AnswerTo<"PATCH", Path>> {
    return this.#call("PATCH", path, options) as Promise<AnswerTo<"PATCH", Path>>
  }

  delete<Path extends PathsOf<"DELETE">>(
    path: Path,
    ...options: CallArguments<"DELETE", Path>
  ): Promise<AnswerTo<"DELETE", Path>> {
    return this.#call("DELETE", path, options) as Promise<AnswerTo<"DELETE", Path>>
  }

  /** Calls any operation without types. `target` is path and query below `/api/v1`, exactly as it is to be sent. */
  async request(method: Method, target: string, { signed, ...options }: RawOptions = {}): Promise<Answer> {
    if (signed === true) this.#needKey()
    return this.#transport.send(method, target, signed === false ? null : this.#key, options)
  }

  /** The items of a list, at most `max`. Items that are added or removed meanwhile may appear twice or not at all. */
  async *pages<Path extends ListPath>(
    path: Path,
    ...options: PagesArguments<Path>
  ): AsyncGenerator<ItemOf<Path>, void, undefined> {
    const {
      max = PAGES_MAX_ITEMS,
      perPage = PER_PAGE,
      ...rest
    } = (options[0] ?? {}) as LooseOptions & { readonly max?: number; readonly perPage?: number }
    let left = max
    for (let page = 1, pages = 1; page <= pages && left > 0; page++) {
      const answer = await this.#call("GET", path, [
        { ...rest, query: { ...rest.query, per_page: Math.min(perPage, left), page } }
      ])
      const items = answer.data as ReadonlyArray<ItemOf<Path>>
      if (!Array.isArray(items))
        throw clientError("answer_malformed", "the answer is no list", {
          status: answer.status,
          requestId: answer.requestId
        })
      if (items.length === 0) return
      yield* items.slice(0, left)
      left -= items.length
      pages = Number((answer.meta as { readonly pages?: unknown } | undefined)?.pages)
    }
  }

  /** Registers a new agent with this key. The answer contains `webhook_secret`, which is shown only once. */
  async register(options: RegisterOptions): Promise<Registered> {
    const registered = await register(this.#send, this.#needKey(), options)
    this.#identity = identityIn(registered)
    return registered
  }

  /**
   * Replaces the key. Store the new one safely before: it may be the only valid one as soon as the call starts. If this
   * throws, either key may be valid: keep both, and find out with `currentKey`.
   */
  async rotateKey(newKey: AgentKey): Promise<Rotated> {
    const rotated = await rotate(this.#send, this.#needKey(), newKey)
    this.#key = newKey
    return rotated
  }

  /** Finds the key that the service accepts now; `null` if it accepts none of them. */
  async currentKey(keys: ReadonlyArray<AgentKey>): Promise<AgentKey | null> {
    return currentKey(this.#send, keys)
  }

  /**
   * Requests the recovery of an account whose key is lost. It takes effect after a delay, in which the current key can
   * cancel it. This client needs no key.
   */
  async recover(options: RecoverOptions): Promise<Scheduled> {
    return recover(this.#send, options)
  }

  /**
   * Seals an entry for the agent's own vault. Store it with `operations.writeVaultEntry(await hub.sealEntry({ … }))`.
   */
  async sealEntry(entry: EntryToSeal): Promise<SealedEntry> {
    this.#needKey()
    return sealEntry((await this.get("/vault")).data, entry)
  }

  /** Gets a statement, signed by the service, that this key belongs to this agent. It is valid for a day. */
  async attest(): Promise<Attested> {
    const key = this.#needKey()
    const { data } = await this.get("/me")
    return attest(this.#send, key, data.id)
  }

  /** The agent's number and the address of its identity record. They are requested once. */
  async identity(): Promise<PublicIdentity> {
    if (this.#identity === null) {
      this.#needKey()
      this.#identity = identityIn((await this.get("/me")).data)
    }
    return this.#identity
  }

  /** The headers that prove one request to a website, for use with any HTTP library. */
  async proof(toProve: ToProve): Promise<ProofHeaders> {
    return proofHeaders(await this.#prover(), toProve)
  }

  /** `fetch` to a website, with proof. Redirects to hosts that you did not name get no proof. */
  async fetch(url: string | URL, init: ProvenInit = {}): Promise<Response> {
    return provenFetch(await this.#prover(), this.#fetch, url, init)
  }

  readonly #send: Send = (method, target, key, options) => this.#transport.send(method, target, key, options)

  async #prover(): Promise<Prover> {
    const key = this.#needKey()
    return { key, identity: await this.identity(), timestamp: () => this.#transport.timestamp() }
  }

  #needKey(): AgentKey {
    if (this.#key === null) throw clientError("no_key", "this needs a key: give one to createClient")
    return this.#key
  }

  async #call(method: Method, path: string, [given]: readonly [options?: unknown]): Promise<Answer> {
    const { params, query, ...options } = (given ?? {}) as LooseOptions
    if (!path.startsWith("/")) throw invalid("path", "must start with /")
    return this.request(method, targetOf(path, params, query), options)
  }
}

export function createClient(options: SourceOptions): SourceClient
export function createClient(options: ClientOptions): HubClient
export function createClient(options: ClientOptions | SourceOptions): HubClient | SourceClient {
  if (!("sourceToken" in options)) return new HubClient(options)
  if ("key" in options) throw invalid("sourceToken", "goes with no key: a source is not the agent")
  return new SourceClient(new Transport(transportOf(options)), options.sourceToken)
}
