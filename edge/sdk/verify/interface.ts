/** The inputs and outputs of the verifier. */
import type { Verdict } from "./verdict.ts"

export interface HeadersLike {
  get(name: string): string | null
}
export type HeaderRecord = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A Fetch `Request`. */
export interface FetchRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeadersLike
}

/** Any other request. `path` is the request target exactly as sent: path, and query if there is one. */
export interface PlainRequest {
  readonly method: string
  readonly path: string
  readonly headers: HeadersLike | HeaderRecord
}

export interface CheckOptions {
  /** The request target as sent, if the runtime has changed it in `Request.url`. */
  readonly path?: string
}

/** An Ed25519 implementation of the website's choice, for runtimes without one. */
export interface Ed25519 {
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean | Promise<boolean>
}

/** A memory of nonces that several processes share. */
export interface NonceStore {
  /** Atomic: adds the key for `ttlSeconds` and resolves to `true`, or to `false` if it was already there. */
  add(key: string, ttlSeconds: number): Promise<boolean>
}

export interface FetchResponse {
  readonly status: number
  readonly type?: string
  readonly headers: HeadersLike
  readonly body: { getReader(): BodyReader; cancel?(): Promise<unknown> } | null
}
export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(): Promise<unknown>
}
export interface FetchInit {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: string
  readonly redirect: "manual"
  readonly signal: AbortSignal
}
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

export interface VerifierOptions {
  /** The hub's address, such as `https://hub.example`. */
  readonly hub: string
  /** The names by which agents know this website: `shop.example`, with the port unless it is 443 or 80. */
  readonly hosts: ReadonlyArray<string>
  readonly mode?: "directory" | "lookup" | "online"
  readonly fetch?: Fetch
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** The clock for timestamps: the hub's, as read from its answers (the default), or this machine's alone. */
  readonly clock?: "hub" | "own"
  readonly ed25519?: Ed25519
  readonly store?: NonceStore
  /** Allows `http:` to a hub that is not on this machine. */
  readonly allowInsecureHub?: boolean
  /** The time for which the last directory is used while the hub cannot be reached. */
  readonly maxStaleSeconds?: number
  /** The timeout for one whole answer of the hub. */
  readonly fetchTimeoutMs?: number
  /** The time that one check waits for the hub. The fetch itself continues. */
  readonly waitMs?: number
  readonly storeTimeoutMs?: number
  readonly maxDirectoryBytes?: number
  readonly maxAgents?: number
  readonly maxNonces?: number
  readonly maxCachedKeys?: number
}

export interface VerifierState {
  /** The number of agents in the directory; `null` if there is none yet. */
  readonly agents: number | null
  readonly generated_at: string | null
  /** Seconds since the hub last confirmed the directory. */
  readonly age_seconds: number | null
  /** Nonces in this process's memory. */
  readonly nonces: number
  /** The time by which the hub's clock is ahead of this machine's; 0 within the tolerance. */
  readonly clock_ahead_ms: number
}

export interface Verifier {
  check(request: FetchRequest | PlainRequest, options?: CheckOptions): Promise<Verdict>
  /** Loads the directory before the first request needs it. Resolves to `false` if the hub could not be read. */
  ready(): Promise<boolean>
  /** Resolves when no answer of the hub is under way. */
  settled(): Promise<void>
  state(): VerifierState
  /** Ends work under way. Later checks use the data that was loaded before. */
  close(): void
}
