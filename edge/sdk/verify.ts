/**
 * The website verifier: judges which agent sent a request, without asking the hub for each one.
 *
 * One file that imports nothing, so that it runs as it is in Node, Deno, Workers and browsers (and is written for Bun)
 * and can be copied into a website's own sources. It therefore repeats what is signed, how hosts are normalised and how
 * numbers are read; the test vectors hold both copies equal.
 *
 * Invariants
 *  - A request is judged against the website's configured host names, never against its own `Host` header.
 *  - Whatever a request holds, the answer is a verdict; only a mistake of the website's own code is thrown.
 *  - The order of the checks decides the reason: a request has one reason, the same that the hub would give.
 *  - Attempts on the directory are counted, not answers: one a minute at most, whoever asks for it, one at a time.
 *  - A directory replaces the last one whole or not at all. One that is cut short, malformed, too large or much older
 *    than the one held changes nothing.
 *  - A nonce is remembered only once its signature holds, for as long as the timestamp could pass again. Where it
 *    cannot be remembered the request is refused: nothing is forgotten early to make room.
 *  - Everything that grows has a bound: bytes, agents, keys, nonces, records, waiting checks, and the time of each
 *    wait.
 */

// ---------------------------------------------------------------------------------------------------------------------
// What callers see

export const REASONS = [
  "headers_missing",
  "announced_only",
  "headers_incomplete",
  "id_malformed",
  "id_unknown",
  "agent_retired",
  "timestamp_invalid",
  "timestamp_expired",
  "nonce_invalid",
  "bad_signature",
  "key_retired",
  "agent_suspended",
  "agent_banned",
  "replayed"
] as const
export type Reason = (typeof REASONS)[number]

/** Reasons that lie with the hub's reach or the website's own parts, not with the request. */
export const CLIENT_REASONS = ["hub_unreachable", "lookup_limited", "cache_unavailable"] as const
export type ClientReason = (typeof CLIENT_REASONS)[number]

export interface AgentFields {
  readonly handle: string | null
  /** The directory has no names: `null` in the mode `directory`. */
  readonly name: string | null
  readonly trust: number | null
  readonly reputation: number | null
  readonly status: "active" | "flagged" | "retired" | null
  readonly moderation: "suspended" | "banned" | null
  readonly profile_url: string | null
  readonly id_url: string | null
}

export interface Verdict extends AgentFields {
  readonly valid: boolean
  /** `null` when valid. */
  readonly reason: Reason | ClientReason | null
  readonly scheme: "hub-id" | "web-bot-auth"
  /** The agent's number, and with it the other fields, where the agent is known. A proof only if `valid`. */
  readonly id: string | null
  readonly message?: string
  readonly announced?: true
  readonly signature_ok?: true
}

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
  /** The request target as sent, where the runtime has changed it in `Request.url`. */
  readonly path?: string
}

/** Ed25519 of the website's choice, for runtimes that have none of their own. */
export interface Ed25519 {
  verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean | Promise<boolean>
}

/** A memory of nonces that several processes share. */
export interface NonceStore {
  /** Atomically: `true` if the key was not there and now is, for `ttlSeconds`; `false` if it was there. */
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
  /** Base address of the hub, as `https://hub.example`. */
  readonly hub: string
  /** The names that agents know this website by: `shop.example`, with the port where it is neither 443 nor 80. */
  readonly hosts: ReadonlyArray<string>
  readonly mode?: "directory" | "lookup" | "online"
  readonly fetch?: Fetch
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Whose clock decides about timestamps: the hub's as its answers tell it (the default), or this machine's alone. */
  readonly clock?: "hub" | "own"
  readonly ed25519?: Ed25519
  readonly store?: NonceStore
  /** Allows `http:` to a hub that is not on this machine. */
  readonly allowInsecureHub?: boolean
  /** For how long the last directory serves while the hub cannot be reached. */
  readonly maxStaleSeconds?: number
  /** For one answer of the hub, whole. */
  readonly fetchTimeoutMs?: number
  /** For how long one check waits for the hub; the fetch itself goes on. */
  readonly waitMs?: number
  readonly storeTimeoutMs?: number
  readonly maxDirectoryBytes?: number
  readonly maxAgents?: number
  readonly maxNonces?: number
  readonly maxCachedKeys?: number
}

export interface VerifierState {
  /** Agents in the directory held; `null` while there is none. */
  readonly agents: number | null
  readonly generated_at: string | null
  /** Since the hub last confirmed it. */
  readonly age_seconds: number | null
  /** Nonces in this process's memory. */
  readonly nonces: number
  /** By how much the hub's clock is ahead of this machine's; 0 within the tolerance. */
  readonly clock_ahead_ms: number
}

export interface Verifier {
  check(request: FetchRequest | PlainRequest, options?: CheckOptions): Promise<Verdict>
  /** Loads the directory before the first request needs it; `false` if the hub could not be read. */
  ready(): Promise<boolean>
  /** Resolves when no answer of the hub is under way. */
  settled(): Promise<void>
  state(): VerifierState
  /** Ends what is under way. Whatever is checked later is answered from what is held. */
  close(): void
}

/** Every bound that is not an option. The first eight are the protocol's own. */
export const BOUNDS = {
  windowSeconds: 300,
  nonceMemorySeconds: 600,
  attemptIntervalSeconds: 60,
  directoryMaxAgeSeconds: 300,
  lookupsPerMinute: 30,
  recordMaxAgeSeconds: 300,
  timestampDigitsMax: 11,
  numberDigitsMax: 15,
  hosts: 8,
  retiredKeysPerAgent: 15,
  /** From this age on a directory is renewed beside the checks, so that none has to wait for it. */
  renewAheadSeconds: 240,
  retryAfterMaxSeconds: 3600,
  /** A number unknown to the hub is looked up again after this long. */
  unknownRecordMaxAgeSeconds: 60,
  records: 1000,
  recordBytes: 1_048_576,
  verdictBytes: 65_536,
  waitingChecks: 1000,
  targetChars: 65_536,
  methodChars: 64,
  userAgentChars: 4096,
  etagChars: 256,
  urlChars: 2048,
  nameChars: 400,
  jsonDepth: 32,
  clockToleranceMs: 2000,
  /** An answer that took longer says too little about the hub's clock. */
  clockRoundTripMs: 4000,
  /** How much older than the one held a directory may be: what a shared cache is allowed to keep. */
  rollbackSeconds: 300,
  /** No agent may fill more than this part of the memory for nonces. */
  nonceShare: 1 / 8
} as const

// ---------------------------------------------------------------------------------------------------------------------
// The protocol: what is signed, and how its parts are written

export interface IdentityToSign {
  readonly method: string
  readonly host: string
  readonly path: string
  readonly timestamp: string
  readonly nonce: string
}

export const identityString = (parts: IdentityToSign): string =>
  `HUB-ID-V1\n${parts.method.toUpperCase()}\n${parts.host}\n${parts.path}\n${parts.timestamp}\n${parts.nonce}`

const NUMBER = /^HX-(?:[0-9]{6}|[1-9][0-9]{6,14})$/
const TIMESTAMP = /^[0-9]{9,11}$/
const HANDLE = /^[A-Za-z0-9_-]{1,32}$/
const NONCE = /^[A-Za-z0-9_\-=.:+/]{8,128}$/
const ANNOUNCEMENT = /\bHubAgent\/[^\s()/]+ \(HX-([0-9]{6,15}); \+[^\s()]+\)/i

export const formatNumber = (number: number): string => `HX-${String(number).padStart(6, "0")}`

/** The number behind its canonical form; `null` for anything else. */
export const parseNumber = (text: string): number | null => (NUMBER.test(text) ? Number(text.slice(3)) : null)

/** The number that a User-Agent announces, in its canonical form. */
export const announcedNumber = (userAgent: string): string | null => {
  const digits = ANNOUNCEMENT.exec(userAgent.slice(0, BOUNDS.userAgentChars))?.[1]
  return digits === undefined ? null : formatNumber(Number(digits))
}

/** Lower case, A-label, no final dot, no port 443 or 80; `null` for what is no host name. */
export const normaliseHost = (host: string): string | null => {
  let url: URL
  try {
    url = new URL(`http://${host}`)
  } catch {
    return null
  }
  const { username, password, pathname, search, hash, port } = url
  if (username + password + search + hash !== "" || pathname !== "/") return null
  const name = url.hostname.replace(/\.$/, "")
  if (name === "") return null
  return port === "" || port === "443" ? name : `${name}:${port}`
}

/** Value of each character code in either base64 alphabet; 255 for every other. */
const SEXTETS = /* @__PURE__ */ (() => {
  const table = new Uint8Array(128).fill(255)
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  for (let value = 0; value < 62; value++) table[letters.charCodeAt(value)] = value
  for (const [letter, value] of [
    ["+", 62],
    ["-", 62],
    ["/", 63],
    ["_", 63]
  ] as const)
    table[letter.charCodeAt(0)] = value
  return table
})()

/**
 * Base64 in either alphabet, padded or not, of exactly as many bytes as `into` holds; `false` for anything else.
 * Strict: bits beyond the last byte must be zero, so that one value has one form in each alphabet.
 */
const decodeBase64 = (codes: Uint8Array, length: number, into: Uint8Array): boolean => {
  let end = length
  while (end > 0 && length - end < 2 && codes[end - 1] === 61) end--
  if (end !== Math.ceil((into.length * 4) / 3)) return false
  let bits = 0
  let held = 0
  let at = 0
  for (let index = 0; index < end; index++) {
    const value = SEXTETS[codes[index] as number]
    if (value === undefined || value === 255) return false
    held = (held << 6) | value
    bits += 6
    if (bits < 8) continue
    bits -= 8
    into[at++] = (held >>> bits) & 255
    held &= (1 << bits) - 1
  }
  return held === 0
}

const SIGNATURE_BYTES = 64
const SIGNATURE_CHARS_MAX = 88
const KEY_BYTES = 32

/** Shared by all, because nothing waits between its being filled and being read. */
const CODES = new Uint8Array(SIGNATURE_CHARS_MAX)

const decodeInto = (text: string, into: Uint8Array): boolean => {
  if (text.length > CODES.length) return false
  for (let index = 0; index < text.length; index++) CODES[index] = Math.min(text.charCodeAt(index), 255)
  return decodeBase64(CODES, text.length, into)
}

const decodeText = (text: string, bytes: number): Uint8Array | null => {
  const into = new Uint8Array(bytes)
  return decodeInto(text, into) ? into : null
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading a request

interface Request {
  readonly method: string
  readonly path: string
  readonly headers: unknown
}

interface ProofHeaders {
  readonly timestamp: string
  readonly nonce: string
  readonly signature: string
}

const misuse = (what: string): TypeError => new TypeError(`hub verifier: ${what}`)

const readRequest = (request: FetchRequest | PlainRequest, options: CheckOptions | undefined): Request => {
  if (typeof request !== "object" || request === null)
    throw misuse("check() takes a Request, or { method, path, headers }")
  const { method, headers } = request
  if (typeof method !== "string") throw misuse("`method` must be a string")
  if (typeof headers !== "object" || headers === null) throw misuse("`headers` must be an object")
  const given = options?.path ?? (request as PlainRequest).path
  if (typeof given === "string") return { method, headers, path: given }
  const { url } = request as FetchRequest
  if (typeof url !== "string") throw misuse("`path` must be a string: the request target as sent")
  return { method, headers, path: targetOf(url) }
}

/** Path and query of an absolute address, unchanged; anything else is a target already, as Node's `request.url` is. */
const targetOf = (url: string): string => {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)
  if (scheme === null) return url
  const fragment = url.indexOf("#")
  const whole = fragment === -1 ? url : url.slice(0, fragment)
  const path = whole.slice(scheme[0].length).search(/[/?]/)
  const target = path === -1 ? "" : whole.slice(scheme[0].length + path)
  return target.startsWith("/") ? target : `/${target}`
}

/** Stands for a header that is there and can match nothing: named twice, or no text. */
const UNUSABLE = "\0"

const textOf = (value: unknown): string | null => {
  if (value === undefined || value === null) return null
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  return typeof single === "string" ? single : UNUSABLE
}

const HEADER_NAMES = ["hub-id", "hub-timestamp", "hub-nonce", "hub-signature", "user-agent"]
const PROOF_HEADERS = [...HEADER_NAMES, "signature", "signature-input", "signature-agent"]
const NAME_CHARS_MAX = 16

/** Header values by their place in `names`, which may stand in any letter case; `null` where there is none. */
const readFields = (headers: unknown, names: ReadonlyArray<string>): Array<string | null> => {
  const get = (headers as HeadersLike).get
  if (typeof get === "function") return names.map((name) => textOf(get.call(headers, name) ?? undefined))
  const found: Array<string | null> = names.map(() => null)
  for (const name of Object.keys(headers as object)) {
    const at = name.length > NAME_CHARS_MAX ? -1 : names.indexOf(name.toLowerCase())
    if (at === -1) continue
    const text = textOf((headers as HeaderRecord)[name])
    if (text !== null) found[at] = found[at] === null ? text : UNUSABLE
  }
  return found
}

// ---------------------------------------------------------------------------------------------------------------------
// Verdicts

const MESSAGES: Readonly<Record<Reason | ClientReason, string>> = {
  headers_missing: "The request has no Hub-* headers and no User-Agent that announces an agent.",
  announced_only: "The User-Agent announces an agent, and nothing proves it.",
  headers_incomplete: "A proof has four headers: Hub-Id, Hub-Timestamp, Hub-Nonce and Hub-Signature.",
  id_malformed: "Hub-Id must be HX- and at least 6 digits, zero-padded to 6 and no further.",
  id_unknown: "No agent has this number.",
  agent_retired: "The agent's owner has deleted the account.",
  timestamp_invalid: "Hub-Timestamp must be unix seconds, digits only.",
  timestamp_expired: `Hub-Timestamp lies more than ${BOUNDS.windowSeconds} seconds from the clock.`,
  nonce_invalid: "Hub-Nonce must be 8 to 128 characters of A-Z a-z 0-9 _ - = . : + /",
  bad_signature: "Hub-Signature does not verify for this method, host and path by any key of the agent.",
  key_retired: "The signature was made with a key that the agent has replaced.",
  agent_suspended: "The signature is genuine; the agent is suspended.",
  agent_banned: "The signature is genuine; the agent is banned.",
  replayed: "This nonce of the agent was already verified.",
  hub_unreachable: "The hub could not be read, so nothing can be said about the agent.",
  lookup_limited: "The limit of single lookups is reached, so nothing can be said about the agent now.",
  cache_unavailable: "The memory of nonces cannot take another, so a replay could not be told from a first request."
}

const NO_AGENT: AgentFields = {
  handle: null,
  name: null,
  trust: null,
  reputation: null,
  status: null,
  moderation: null,
  profile_url: null,
  id_url: null
}

interface Extras {
  readonly announced?: true
  readonly signature_ok?: true
}

const ANNOUNCED: Extras = { announced: true }
const GENUINE: Extras = { signature_ok: true }

const refuse = (
  reason: Reason | ClientReason,
  id: string | null = null,
  agent: AgentFields = NO_AGENT,
  extras?: Extras
): Verdict => ({
  valid: false,
  reason,
  scheme: "hub-id",
  id,
  ...agent,
  message: MESSAGES[reason],
  ...extras
})

/** HTTP's word for a verdict that is not valid: who is it (401), no (403), or not now (503). */
export const statusOf = ({ reason }: Verdict): 200 | 401 | 403 | 503 => {
  if (reason === null) return 200
  if ((CLIENT_REASONS as ReadonlyArray<string>).includes(reason)) return 503
  return reason === "agent_retired" || reason === "agent_suspended" || reason === "agent_banned" ? 403 : 401
}

// ---------------------------------------------------------------------------------------------------------------------
// Ed25519: the runtime's own, synchronous where it can be

interface Backend {
  /** Whether both answer at once. */
  readonly sync: boolean
  prepare(publicKey: Uint8Array): unknown
  verify(signature: Uint8Array, message: Uint8Array, key: unknown): boolean | Promise<boolean>
}

interface NodeCrypto {
  createPublicKey(input: { key: Uint8Array; format: "der"; type: "spki" }): object
  verify(algorithm: null, data: Uint8Array, key: object, signature: Uint8Array): boolean
}

interface Subtle {
  importKey(
    format: "raw",
    key: Uint8Array,
    algorithm: string,
    extractable: boolean,
    usages: ReadonlyArray<string>
  ): Promise<object>
  verify(algorithm: string, key: object, signature: Uint8Array, data: Uint8Array): Promise<boolean>
}

interface Runtime {
  readonly process?: { getBuiltinModule?(name: string): unknown }
  readonly crypto?: { readonly subtle?: Subtle; getRandomValues(array: Uint32Array): Uint32Array }
  readonly fetch?: Fetch
}

const runtime = globalThis as unknown as Runtime

/** What stands before the raw key in the DER form of an Ed25519 public key (RFC 8410). */
const SPKI_PREFIX = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]

const nodeBackend = (crypto: NodeCrypto): Backend => ({
  sync: true,
  prepare: (publicKey) => {
    const key = new Uint8Array(SPKI_PREFIX.length + KEY_BYTES)
    key.set(SPKI_PREFIX)
    key.set(publicKey, SPKI_PREFIX.length)
    return crypto.createPublicKey({ key, format: "der", type: "spki" })
  },
  verify: (signature, message, key) => crypto.verify(null, message, key as object, signature)
})

const subtleBackend = (subtle: Subtle): Backend => ({
  sync: false,
  prepare: (publicKey) => subtle.importKey("raw", publicKey.slice(), "Ed25519", false, ["verify"]),
  verify: (signature, message, key) => subtle.verify("Ed25519", key as object, signature, message)
})

const givenBackend = (given: Ed25519): Backend => ({
  sync: false,
  prepare: (publicKey) => publicKey.slice(),
  verify: (signature, message, key) => given.verify(signature, message, key as Uint8Array)
})

/** A signature known to hold (RFC 8032, 7.1, test 1: of the empty text). */
const PROBE = {
  key: "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  signature: "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc-bRr0lv18FlbviRlUUFDjnoQCw"
}

/** What is to be believed later must tell a signature that holds from one that does not. */
const confirms = async (backend: Backend): Promise<boolean> => {
  try {
    const [key, signature] = [decodeText(PROBE.key, KEY_BYTES), decodeText(PROBE.signature, SIGNATURE_BYTES)]
    if (key === null || signature === null) return false
    const prepared = await backend.prepare(key)
    const [empty, other] = [new Uint8Array(0), new Uint8Array(1)]
    return (
      (await backend.verify(signature, empty, prepared)) === true &&
      (await backend.verify(signature, other, prepared)) === false
    )
  } catch {
    return false
  }
}

const chooseBackend = async (given: Ed25519 | undefined): Promise<Backend> => {
  const node = runtime.process?.getBuiltinModule?.("node:crypto") as Partial<NodeCrypto> | undefined
  const subtle = runtime.crypto?.subtle
  const candidates = [
    typeof node?.verify === "function" && typeof node.createPublicKey === "function"
      ? nodeBackend(node as NodeCrypto)
      : null,
    subtle === undefined ? null : subtleBackend(subtle),
    given === undefined ? null : givenBackend(given)
  ]
  for (const backend of candidates) if (backend !== null && (await confirms(backend))) return backend
  throw misuse("this runtime has no Ed25519 of its own: pass one as the option `ed25519`")
}

interface CachedKey {
  readonly bytes: Uint8Array
  readonly key: unknown
}

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean => {
  for (let index = 0; index < KEY_BYTES; index++) if (one[index] !== other[index]) return false
  return true
}

const encoder = new TextEncoder()

type Signer = "current" | "retired" | "nobody" | "malformed"

interface Keys {
  readonly number: number
  readonly current: Uint8Array
  retired(): ReadonlyArray<Uint8Array>
}

/**
 * Tells which of an agent's keys made a signature, and keeps the keys in use ready, because making one costs a quarter
 * of a verification; two generations bound them. Retired keys are made anew each time: hardly anybody signs with one.
 */
class Signatures {
  private backend: Backend | null = null
  private choosing: Promise<Backend> | null = null
  private young = new Map<number, CachedKey>()
  private old = new Map<number, CachedKey>()
  private readonly given: Ed25519 | undefined
  private readonly keysMax: number
  private readonly signature = new Uint8Array(SIGNATURE_BYTES)
  private message = new Uint8Array(1024)

  constructor(given: Ed25519 | undefined, keysMax: number) {
    this.given = given
    this.keysMax = keysMax
  }

  /** `texts`: what may have been signed, one for each host. */
  signerOf(keys: Keys, texts: ReadonlyArray<string>, signature: string): Signer | Promise<Signer> {
    const { backend } = this
    return backend?.sync === true
      ? this.signerNow(backend, keys, texts, signature)
      : this.signerLater(keys, texts, signature)
  }

  /**
   * Nothing waits here, so all checks share one place for the bytes: to make them for each would cost as much again.
   */
  private signerNow(backend: Backend, keys: Keys, texts: ReadonlyArray<string>, signature: string): Signer {
    if (!decodeInto(signature, this.signature)) return "malformed"
    if (this.holdsNow(backend, () => this.keyOf(backend, keys.number, keys.current), texts)) return "current"
    for (const key of keys.retired()) if (this.holdsNow(backend, () => backend.prepare(key), texts)) return "retired"
    return "nobody"
  }

  private holdsNow(backend: Backend, keyOf: () => unknown, texts: ReadonlyArray<string>): boolean {
    try {
      const key = keyOf()
      for (const text of texts) {
        if (text.length * 3 > this.message.length) this.message = new Uint8Array(text.length * 3)
        const { written } = encoder.encodeInto(text, this.message)
        if (backend.verify(this.signature, this.message.subarray(0, written), key) === true) return true
      }
    } catch {
      // 32 bytes that are no point of the curve: runtimes refuse them at one step or the other.
    }
    return false
  }

  private async signerLater(keys: Keys, texts: ReadonlyArray<string>, text: string): Promise<Signer> {
    const backend = this.backend ?? (await this.choose())
    const signature = decodeText(text, SIGNATURE_BYTES)
    if (signature === null) return "malformed"
    const messages = texts.map((one) => encoder.encode(one))
    const holds = async (keyOf: () => unknown): Promise<boolean> => {
      try {
        const key = await keyOf()
        for (const message of messages) if ((await backend.verify(signature, message, key)) === true) return true
      } catch {
        // As above.
      }
      return false
    }
    if (await holds(() => this.keyOf(backend, keys.number, keys.current))) return "current"
    for (const key of keys.retired()) if (await holds(() => backend.prepare(key))) return "retired"
    return "nobody"
  }

  private async choose(): Promise<Backend> {
    this.choosing ??= chooseBackend(this.given)
    this.backend = await this.choosing
    return this.backend
  }

  private keyOf(backend: Backend, number: number, publicKey: Uint8Array): unknown {
    const known = this.young.get(number)
    if (known !== undefined && sameBytes(known.bytes, publicKey)) return known.key
    const older = this.old.get(number)
    const entry =
      older !== undefined && sameBytes(older.bytes, publicKey)
        ? older
        : { bytes: publicKey.slice(), key: backend.prepare(publicKey) }
    if (this.young.size >= this.keysMax / 2) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(number, entry)
    return entry.key
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Nonces

interface Generation {
  from: number
  /** Two words an entry; both zero is an empty place. */
  slots: Uint32Array
  size: number
  readonly shares: Uint32Array
  latestTimestamp: number
}

const GENERATION_SECONDS = 60
const FIRST_SLOTS = 256
const SHARE_BUCKETS = 4096

/**
 * Used nonces as 64-bit hashes, one open-addressing table for each minute: 11 to 22 bytes a nonce. The hash is keyed by
 * a secret of this process, so nobody can choose nonces that fall together. A whole minute is forgotten at once, when
 * none of its timestamps can pass any more; if the clock was set back since, timestamps up to the forgotten ones are
 * refused, because whether they were used is no longer known.
 */
class NonceMemory {
  size = 0
  /** Timestamps up to this one may have been used by nonces that are forgotten. */
  forgottenUpTo = 0
  private generations: Array<Generation> = []
  private readonly max: number
  private readonly perAgent: number
  private readonly secret = new Uint32Array(3)
  private keyed = false
  private readonly shares = new Uint32Array(SHARE_BUCKETS)
  private high = 0
  private low = 0

  constructor(max: number) {
    this.max = max
    this.perAgent = Math.max(1, Math.floor(max * BOUNDS.nonceShare))
  }

  add(number: number, nonce: string, timestamp: number, now: number): "fresh" | "replayed" | "full" {
    this.forget(now)
    if (!this.keyed) this.drawSecret()
    this.hash(`${number}\n${nonce}`)
    for (const { slots } of this.generations) if (slots[this.place(slots, this.high, this.low)] !== 0) return "replayed"
    const bucket = Math.imul((number % 4294967296) ^ (this.secret[2] as number), 0x9e3779b1) >>> 20
    if (this.size >= this.max || (this.shares[bucket] as number) >= this.perAgent) return "full"
    const generation = this.generationOf(now)
    if ((generation.size + 1) * 8 > generation.slots.length * 3) this.grow(generation)
    const at = this.place(generation.slots, this.high, this.low)
    generation.slots[at] = this.high
    generation.slots[at + 1] = this.low
    generation.size++
    generation.latestTimestamp = Math.max(generation.latestTimestamp, timestamp)
    generation.shares[bucket] = (generation.shares[bucket] as number) + 1
    this.shares[bucket] = (this.shares[bucket] as number) + 1
    this.size++
    return "fresh"
  }

  /** With the first nonce, and not before: workers have no randomness while they start. */
  private drawSecret(): void {
    runtime.crypto?.getRandomValues(this.secret)
    this.keyed = true
  }

  forget(now: number): void {
    const keep: Array<Generation> = []
    for (const generation of this.generations) {
      // Made before the clock was set back: kept for the whole memory from now on.
      if (generation.from > now) generation.from = now
      if (generation.from + GENERATION_SECONDS + BOUNDS.nonceMemorySeconds > now) keep.push(generation)
      else this.drop(generation, now)
    }
    if (keep.length !== this.generations.length) this.generations = keep
  }

  private drop(generation: Generation, now: number): void {
    this.size -= generation.size
    for (let bucket = 0; bucket < SHARE_BUCKETS; bucket++) {
      this.shares[bucket] = (this.shares[bucket] as number) - (generation.shares[bucket] as number)
    }
    // Later ones than can pass now come of a clock that was ahead: to refuse up to those would refuse everybody.
    if (generation.latestTimestamp <= now + BOUNDS.windowSeconds) {
      this.forgottenUpTo = Math.max(this.forgottenUpTo, generation.latestTimestamp)
    }
  }

  private generationOf(now: number): Generation {
    const from = now - (now % GENERATION_SECONDS)
    const known = this.generations.find((generation) => generation.from === from)
    if (known !== undefined) return known
    const fresh: Generation = {
      from,
      slots: new Uint32Array(FIRST_SLOTS * 2),
      size: 0,
      shares: new Uint32Array(SHARE_BUCKETS),
      latestTimestamp: 0
    }
    this.generations.unshift(fresh)
    return fresh
  }

  /** Where the hash stands, or the empty place where it would go. */
  private place(slots: Uint32Array, high: number, low: number): number {
    const mask = slots.length / 2 - 1
    for (let index = low & mask; ; index = (index + 1) & mask) {
      const at = index * 2
      if (slots[at] === 0 || (slots[at] === high && slots[at + 1] === low)) return at
    }
  }

  private grow(generation: Generation): void {
    const { slots } = generation
    const bigger = new Uint32Array(slots.length * 2)
    for (let at = 0; at < slots.length; at += 2) {
      const [high, low] = [slots[at] as number, slots[at + 1] as number]
      if (high === 0) continue
      const place = this.place(bigger, high, low)
      bigger[place] = high
      bigger[place + 1] = low
    }
    generation.slots = bigger
  }

  /** HalfSipHash-2-4 with 64 bits of output, of ASCII text; left in `high` (never zero) and `low`. */
  private hash(text: string): void {
    const [k0, k1] = [this.secret[0] as number, this.secret[1] as number]
    let [v0, v1, v2, v3] = [k0, k1 ^ 0xee, 0x6c796765 ^ k0, 0x74656462 ^ k1]
    const words = (text.length >> 2) + 1
    for (let step = 0; step < words + 2; step++) {
      const word = step < words ? wordOf(text, step * 4) : 0
      if (step < words) v3 ^= word
      else if (step === words) v2 ^= 0xee
      else {
        this.high = (v1 ^ v3) >>> 0 || 1
        v1 ^= 0xdd
      }
      for (let round = step < words ? 2 : 4; round > 0; round--) {
        v0 = (v0 + v1) | 0
        v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
        v0 = (v0 << 16) | (v0 >>> 16)
        v2 = (v2 + v3) | 0
        v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
        v0 = (v0 + v3) | 0
        v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
        v2 = (v2 + v1) | 0
        v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
        v2 = (v2 << 16) | (v2 >>> 16)
      }
      v0 ^= word
    }
    this.low = (v1 ^ v3) >>> 0
  }
}

/** Four characters as a little-endian word; the last word carries the length in its top byte. */
const wordOf = (text: string, at: number): number => {
  const left = text.length - at
  let word = left < 4 ? text.length << 24 : 0
  for (let index = Math.min(left, 4) - 1; index >= 0; index--) word |= text.charCodeAt(at + index) << (index * 8)
  return word
}

// ---------------------------------------------------------------------------------------------------------------------
// JSON, read as it arrives

const malformed = (what: string): Error => new Error(`malformed directory: ${what}`)

/** What a reader of JSON tells, in the order of the document. `length` is -1 for text that is too long or not ASCII. */
interface JsonSink {
  /** `false`: the member is of no interest, and nothing of its value is told. */
  key(bytes: Uint8Array, length: number): boolean
  text(bytes: Uint8Array, length: number): void
  number(value: number): void
  literal(value: boolean | null): void
  open(array: boolean): void
  close(): void
}

const VALUE = 0
const VALUE_OR_END = 1
const KEY = 2
const KEY_OR_END = 3
const COLON = 4
const AFTER = 5
const DONE = 6
const TEXT = 7
const ESCAPE = 8
const UNICODE = 9
const DIGITS = 10
const WORD = 11

const NUMBER_CHARS_MAX = 40
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
const ESCAPES: Readonly<Record<string, number>> = { '"': 34, "\\": 92, "/": 47, b: 8, f: 12, n: 10, r: 13, t: 9 }

/** A strict reader that holds one short text at a time and goes on at any byte. */
class JsonReader {
  private state = VALUE
  private depth = 0
  private readonly arrays: Array<boolean> = []
  private readonly bytes = new Uint8Array(BOUNDS.urlChars)
  private length = 0
  private isKey = false
  /** The depth of the object whose member is being passed over; -1 while none is. */
  private skipAt = -1
  private unicode = 0
  private unicodeLeft = 0
  private word = ""
  private wordAt = 0
  private readonly sink: JsonSink

  constructor(sink: JsonSink) {
    this.sink = sink
  }

  push(chunk: Uint8Array): void {
    const end = chunk.length
    for (let at = 0; at < end;) {
      if (this.state === TEXT) at = this.readText(chunk, at, end)
      else if (this.state === DIGITS) at = this.readDigits(chunk, at, end)
      else {
        const byte = chunk[at++] as number
        if (this.state === ESCAPE) this.escape(byte)
        else if (this.state === UNICODE) this.readUnicode(byte)
        else if (this.state === WORD) this.readWord(byte)
        else if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) this.structure(byte)
      }
    }
  }

  end(): void {
    if (this.state !== DONE) throw malformed("it breaks off")
  }

  private structure(byte: number): void {
    switch (this.state) {
      case VALUE_OR_END:
        return byte === 93 ? this.close(true) : this.begin(byte)
      case VALUE:
        return this.begin(byte)
      case KEY_OR_END:
        if (byte === 125) return this.close(false)
        return this.beginKey(byte)
      case KEY:
        return this.beginKey(byte)
      case COLON:
        if (byte !== 58) throw malformed("a colon is missing")
        this.state = VALUE
        return
      case AFTER:
        if (byte === 44) this.state = this.arrays[this.depth - 1] === true ? VALUE : KEY
        else if (byte === 125 || byte === 93) this.close(byte === 93)
        else throw malformed("a comma is missing")
        return
      default:
        throw malformed("something follows its end")
    }
  }

  private beginKey(byte: number): void {
    if (byte !== 34) throw malformed("a name is missing")
    this.isKey = true
    this.beginText()
  }

  private beginText(): void {
    this.length = 0
    this.state = TEXT
  }

  private begin(byte: number): void {
    if (byte === 34) {
      this.isKey = false
      this.beginText()
    } else if (byte === 123 || byte === 91) this.open(byte === 91)
    else if (byte === 45 || (byte >= 48 && byte <= 57)) {
      this.length = 0
      this.append(byte)
      this.state = DIGITS
    } else {
      this.word = byte === 116 ? "true" : byte === 102 ? "false" : byte === 110 ? "null" : ""
      if (this.word === "") throw malformed("a value is missing")
      this.wordAt = 1
      this.state = WORD
    }
  }

  private open(array: boolean): void {
    if (this.depth >= BOUNDS.jsonDepth) throw malformed("it is nested too deeply")
    if (this.skipAt === -1) this.sink.open(array)
    this.arrays[this.depth++] = array
    this.state = array ? VALUE_OR_END : KEY_OR_END
  }

  private close(array: boolean): void {
    if (this.arrays[this.depth - 1] !== array) throw malformed("brackets do not match")
    this.depth--
    if (this.skipAt === -1) this.sink.close()
    this.done()
  }

  /** A value is complete. */
  private done(): void {
    if (this.skipAt === this.depth) this.skipAt = -1
    this.state = this.depth === 0 ? DONE : AFTER
  }

  private append(byte: number): void {
    if (this.length === -1) return
    if (this.length === BOUNDS.urlChars) this.length = -1
    else this.bytes[this.length++] = byte
  }

  private readText(chunk: Uint8Array, from: number, end: number): number {
    const capturing = this.skipAt === -1
    const { bytes } = this
    let { length } = this
    let at = from
    for (; at < end; at++) {
      const byte = chunk[at] as number
      if (byte === 34 || byte === 92) break
      if (byte < 32) throw malformed("a control character stands in a text")
      if (!capturing || length === -1) continue
      if (byte > 126 || length === BOUNDS.urlChars) length = -1
      else bytes[length++] = byte
    }
    this.length = length
    if (at === end) return at
    if (chunk[at] === 92) this.state = ESCAPE
    else this.endText()
    return at + 1
  }

  private endText(): void {
    if (!this.isKey) {
      if (this.skipAt === -1) this.sink.text(this.bytes, this.length)
      return this.done()
    }
    if (this.skipAt === -1 && !this.sink.key(this.bytes, this.length)) this.skipAt = this.depth
    this.state = COLON
  }

  private escape(byte: number): void {
    this.state = TEXT
    const letter = String.fromCharCode(byte)
    if (letter === "u") {
      this.unicode = 0
      this.unicodeLeft = 4
      this.state = UNICODE
    } else if (Object.hasOwn(ESCAPES, letter)) this.append(ESCAPES[letter] as number)
    else throw malformed("an escape is none of JSON's")
  }

  private readUnicode(byte: number): void {
    const digit = Number.parseInt(String.fromCharCode(byte), 16)
    if (Number.isNaN(digit)) throw malformed("an escape is none of JSON's")
    this.unicode = this.unicode * 16 + digit
    if (--this.unicodeLeft > 0) return
    if (this.unicode > 126) this.length = -1
    else this.append(this.unicode)
    this.state = TEXT
  }

  private readDigits(chunk: Uint8Array, from: number, end: number): number {
    let at = from
    for (; at < end; at++) {
      const byte = chunk[at] as number
      if ((byte < 48 || byte > 57) && byte !== 46 && byte !== 45 && byte !== 43 && byte !== 69 && byte !== 101) {
        this.endDigits()
        return at
      }
      if (this.length >= NUMBER_CHARS_MAX) throw malformed("a number is too long")
      this.append(byte)
    }
    return at
  }

  private endDigits(): void {
    const digits = latin(this.bytes, 0, this.length)
    if (!JSON_NUMBER.test(digits)) throw malformed("a number is none of JSON's")
    const value = Number(digits)
    if (!Number.isFinite(value)) throw malformed("a number is too large")
    if (this.skipAt === -1) this.sink.number(value)
    this.done()
  }

  private readWord(byte: number): void {
    if (byte !== this.word.charCodeAt(this.wordAt)) throw malformed("a word is none of JSON's")
    if (++this.wordAt < this.word.length) return
    if (this.skipAt === -1) this.sink.literal(this.word === "null" ? null : this.word === "true")
    this.done()
  }
}

const latin = (bytes: Uint8Array, from: number, to: number): string => {
  let text = ""
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at] as number)
  return text
}

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

/** Whether both hold the same up to `length`, the second one counted from `from`. */
const sameUpTo = (one: Uint8Array, length: number, other: Uint8Array, from = 0): boolean => {
  for (let at = 0; at < length; at++) if (one[at] !== other[from + at]) return false
  return true
}

/** The place of a name in a list, or -1. */
const indexOfName = (names: ReadonlyArray<Uint8Array>, bytes: Uint8Array, length: number): number => {
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as Uint8Array
    if (name.length === length && sameUpTo(name, length, bytes)) return index
  }
  return -1
}

// ---------------------------------------------------------------------------------------------------------------------
// The directory: about a hundred bytes an agent, and no object of its own for any of them

interface Identity {
  readonly fields: AgentFields
  /** `null` for a retired identity. */
  readonly key: Uint8Array | null
  retiredKeys(): ReadonlyArray<Uint8Array>
}

const NO_KEYS = (): ReadonlyArray<Uint8Array> => []

const STATUSES = ["active", "flagged", "retired"] as const
const MODERATIONS = [null, "suspended", "banned"] as const

/** An array that grows: bytes in blocks are copied only when they double. */
const grown = <A extends Uint8Array | Uint32Array | Float64Array>(array: A, needed: number): A => {
  if (needed <= array.length) return array
  const bigger = new (array.constructor as new (length: number) => A)(Math.max(needed, array.length * 2))
  bigger.set(array)
  return bigger
}

const FIRST_AGENTS = 1024
const FIRST_TEXT_BYTES = 16_384
const PREFIXES_MAX = 32
/** How an address is kept: absent, whole, or as a known beginning followed by the handle or the number. */
const URL_NONE = 0
const URL_WHOLE = 1
const URL_PREFIXED = 2

class Directory {
  readonly maxNumber: number
  readonly generatedAt: number
  readonly count: number
  private readonly columns: Columns

  constructor(columns: Columns, count: number, maxNumber: number, generatedAt: number) {
    this.columns = columns
    this.count = count
    this.maxNumber = maxNumber
    this.generatedAt = generatedAt
  }

  /** Empty ones, with room for as much and a little more. */
  columnsOfSize(): Columns {
    const { retired, texts } = this.columns
    const more = (size: number): number => Math.ceil(size * 1.05)
    return columnsFor(more(this.count) + 16, more(retired.length / KEY_BYTES), more(texts.length) + 1024)
  }

  find(number: number): Identity | null {
    const { numbers, order } = this.columns
    let low = 0
    let high = this.count - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const at = order === null ? middle : (order[middle] as number)
      const found = numbers[at] as number
      if (found === number) return this.identityAt(at)
      if (found < number) low = middle + 1
      else high = middle - 1
    }
    return null
  }

  private identityAt(at: number): Identity {
    const { numbers, states, scores, keys, retired, retiredFrom } = this.columns
    const state = states[at] as number
    const status = STATUSES[state & 3] as AgentFields["status"]
    const [handle, profileUrl, idUrl] = this.textsAt(at, formatNumber(numbers[at] as number))
    const fields: AgentFields = {
      handle,
      name: null,
      trust: scores[at * 2] as number,
      reputation: scores[at * 2 + 1] as number,
      status,
      moderation: MODERATIONS[(state >> 2) & 3] as AgentFields["moderation"],
      profile_url: profileUrl,
      id_url: idUrl
    }
    if (status === "retired") return { fields, key: null, retiredKeys: NO_KEYS }
    const from = retiredFrom[at] as number
    return {
      fields,
      key: keyAt(keys, at),
      retiredKeys:
        state < 16 ? NO_KEYS : () => Array.from({ length: state >> 4 }, (_, index) => keyAt(retired, from + index))
    }
  }

  private textsAt(slot: number, number: string): [string, string | null, string | null] {
    const { texts, textFrom, prefixes } = this.columns
    let at = textFrom[slot] as number
    const take = (length: number): string => latin(texts, at, (at += length))
    const handle = take(texts[at++] as number)
    const url = (ending: string): string | null => {
      const form = texts[at++]
      if (form === URL_NONE) return null
      if (form === URL_PREFIXED) return `${prefixes[texts[at++] as number]}${ending}`
      const length = ((texts[at] as number) << 8) | (texts[at + 1] as number)
      at += 2
      return take(length)
    }
    return [handle, url(handle), url(number)]
  }
}

const keyAt = (keys: Uint8Array, at: number): Uint8Array => keys.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES)

interface Columns {
  numbers: Float64Array
  /** Places in the order of their numbers; `null` if they already stand so. */
  order: Uint32Array | null
  /** Status, moderation and how many retired keys, in two bits each and the rest. */
  states: Uint8Array
  /** Trust and reputation, in turn. */
  scores: Float64Array
  keys: Uint8Array
  retired: Uint8Array
  retiredFrom: Uint32Array
  texts: Uint8Array
  textFrom: Uint32Array
  prefixes: Array<string>
}

const columnsFor = (agents: number, retiredKeys: number, textBytes: number): Columns => ({
  numbers: new Float64Array(agents),
  order: null,
  states: new Uint8Array(agents),
  scores: new Float64Array(agents * 2),
  keys: new Uint8Array(agents * KEY_BYTES),
  retired: new Uint8Array(retiredKeys * KEY_BYTES),
  retiredFrom: new Uint32Array(agents),
  texts: new Uint8Array(textBytes),
  textFrom: new Uint32Array(agents),
  prefixes: []
})

const names = (...list: ReadonlyArray<string>): ReadonlyArray<Uint8Array> => list.map(ascii)

const TOP = names("ok", "data")
const DATA = names("generated_at", "max_number", "count", "agents")
const ENTRY = names(
  "id",
  "handle",
  "status",
  "moderation",
  "public_key",
  "keys",
  "trust",
  "reputation",
  "profile_url",
  "id_url"
)
const KEY_ENTRY = names("public_key", "status", "retired_at")
const STATUS_NAMES = names(...STATUSES)
const MODERATION_NAMES = names("suspended", "banned")
const KEY_STATUS_NAMES = names("current", "retired")
const URL_SCHEMES = names("https://", "http://")

/** Depths of the document: inside `{ok, data}`, `data`, `agents`, one agent, its `keys`, one key. */
const IN_TOP = 1
const IN_DATA = 2
const IN_AGENTS = 3
const IN_AGENT = 4
const IN_KEYS = 5
const IN_KEY = 6

interface RetiredKey {
  readonly bytes: Uint8Array
  at: number
}

/** Fills the columns from the document, in whatever order its members come, and checks each of them. */
class DirectoryBuilder implements JsonSink {
  private readonly columns: Columns
  private readonly prefixBytes: Array<Uint8Array> = []
  private readonly agentsMax: number
  private count = 0
  private retiredCount = 0
  private textLength = 0
  private ascending = true
  private depth = 0
  private field = -1
  /** One bit for each member seen, by depth: none may come twice, and none may be missing. */
  private readonly seen = new Uint32Array(IN_KEY + 1)
  private ok = false
  private generatedAt = Number.NaN
  private maxNumber = -1
  private declared = -1
  // The agent being read.
  private agent = 0
  private readonly numberText = new Uint8Array(BOUNDS.numberDigitsMax + 3)
  private numberLength = 0
  private readonly key32 = new Uint8Array(KEY_BYTES)
  private hasKey = false
  private readonly handle = new Uint8Array(32)
  private handleLength = 0
  private status = 0
  private moderation = 0
  private trust = 0
  private reputation = 0
  private readonly urls = [new Uint8Array(BOUNDS.urlChars), new Uint8Array(BOUNDS.urlChars)] as const
  private readonly urlLengths = [-1, -1]
  private readonly retiredKeys: Array<RetiredKey> = []
  private retiredKept = 0
  // The key of it being read.
  private readonly entryKey = new Uint8Array(KEY_BYTES)
  private entryRetired = false
  private entryRetiredAt = 0

  /** `last`: the directory held, which the next one will hardly differ from in size. */
  constructor(agentsMax: number, last: Directory | null) {
    this.agentsMax = agentsMax
    this.columns = last === null ? columnsFor(FIRST_AGENTS, 0, FIRST_TEXT_BYTES) : last.columnsOfSize()
  }

  key(bytes: Uint8Array, length: number): boolean {
    if (this.depth === IN_AGENTS) {
      this.beginAgent(bytes, length)
      return true
    }
    const list =
      this.depth === IN_TOP ? TOP : this.depth === IN_DATA ? DATA : this.depth === IN_AGENT ? ENTRY : KEY_ENTRY
    this.field = indexOfName(list, bytes, length)
    if (this.field === -1) return false
    const bit = 1 << this.field
    if (((this.seen[this.depth] as number) & bit) !== 0) throw malformed("a member comes twice")
    this.seen[this.depth] = (this.seen[this.depth] as number) | bit
    return true
  }

  open(array: boolean): void {
    const { depth, field } = this
    const expected =
      depth === 0 || depth === IN_AGENTS || depth === IN_KEYS
        ? !array
        : depth === IN_TOP
          ? !array && field === 1
          : depth === IN_DATA
            ? !array && field === 3
            : depth === IN_AGENT && array && field === 5
    if (!expected) throw malformed("a member has the wrong form")
    this.depth++
    this.seen[this.depth] = 0
    if (this.depth === IN_KEY) {
      this.entryRetired = false
      this.entryRetiredAt = Number.NaN
    }
  }

  close(): void {
    if (this.depth === IN_AGENT) this.endAgent()
    else if (this.depth === IN_KEY) this.endKey()
    else if (this.depth === IN_DATA || this.depth === IN_TOP) this.complete(this.depth === IN_DATA ? DATA : TOP)
    this.depth--
  }

  text(bytes: Uint8Array, length: number): void {
    if (length === -1) throw malformed("a text is too long or not ASCII")
    if (this.depth === IN_AGENT) return this.agentText(bytes, length)
    if (this.depth === IN_KEY) return this.keyText(bytes, length)
    if (this.depth !== IN_DATA || this.field !== 0) throw malformed("a member has the wrong form")
    this.generatedAt = Date.parse(latin(bytes, 0, length))
    if (Number.isNaN(this.generatedAt)) throw malformed("generated_at is no time")
  }

  number(value: number): void {
    if (this.depth === IN_AGENT && this.field === 6) this.trust = value
    else if (this.depth === IN_AGENT && this.field === 7) this.reputation = value
    else if (this.depth === IN_DATA && this.field === 1 && Number.isSafeInteger(value)) this.maxNumber = value
    else if (this.depth === IN_DATA && this.field === 2 && Number.isSafeInteger(value)) this.declared = value
    else throw malformed("a member has the wrong form")
  }

  literal(value: boolean | null): void {
    if (this.depth === IN_TOP && this.field === 0 && value === true) this.ok = true
    // moderation, public_key and profile_url may be null, which is how they begin.
    else if (this.depth !== IN_AGENT || value !== null || ![3, 4, 8].includes(this.field))
      throw malformed("a member has the wrong form")
  }

  finish(): Directory {
    if (!this.ok || this.count !== this.declared) throw malformed("it does not hold what it says")
    const { columns, count } = this
    if (!this.ascending) this.sort()
    for (let at = 1; at < count; at++) {
      const [one, other] =
        columns.order === null ? [at - 1, at] : [columns.order[at - 1] as number, columns.order[at] as number]
      if (columns.numbers[one] === columns.numbers[other]) throw malformed("a number comes twice")
    }
    const last =
      count === 0
        ? 0
        : (columns.numbers[columns.order === null ? count - 1 : (columns.order[count - 1] as number)] as number)
    if (last > this.maxNumber) throw malformed("a number is above max_number")
    this.trim()
    return new Directory(columns, count, this.maxNumber, this.generatedAt)
  }

  private sort(): void {
    const { numbers } = this.columns
    const order = new Uint32Array(this.count)
    for (let at = 0; at < order.length; at++) order[at] = at
    this.columns.order = order.toSorted((one, other) => (numbers[one] as number) - (numbers[other] as number))
  }

  /** What doubling left over is given back, if it is worth a copy. */
  private trim(): void {
    const { columns, count } = this
    if (count > columns.numbers.length * 0.9) return
    columns.numbers = columns.numbers.slice(0, count)
    columns.states = columns.states.slice(0, count)
    columns.scores = columns.scores.slice(0, count * 2)
    columns.keys = columns.keys.slice(0, count * KEY_BYTES)
    columns.retired = columns.retired.slice(0, this.retiredCount * KEY_BYTES)
    columns.retiredFrom = columns.retiredFrom.slice(0, count)
    columns.texts = columns.texts.slice(0, this.textLength)
    columns.textFrom = columns.textFrom.slice(0, count)
  }

  private complete(list: ReadonlyArray<Uint8Array>): void {
    if (this.seen[this.depth] !== (1 << list.length) - 1) throw malformed("a member is missing")
  }

  private beginAgent(bytes: Uint8Array, length: number): void {
    const number = length < 0 || length > this.numberText.length ? null : parseNumber(latin(bytes, 0, length))
    if (number === null) throw malformed("an agent's number is not canonical")
    if (this.count >= this.agentsMax) throw malformed("it holds too many agents")
    this.agent = number
    for (let at = 0; at < length; at++) this.numberText[at] = bytes[at] as number
    this.numberLength = length
    this.hasKey = false
    this.handleLength = 0
    this.moderation = 0
    this.urlLengths[0] = -1
    this.urlLengths[1] = -1
    this.retiredKept = 0
  }

  private agentText(bytes: Uint8Array, length: number): void {
    switch (this.field) {
      case 0:
        if (length !== this.numberLength || !sameUpTo(this.numberText, length, bytes))
          throw malformed("an agent's id is not its number")
        return
      case 1:
        return this.readHandle(bytes, length)
      case 2:
        this.status = oneOf(STATUS_NAMES, bytes, length)
        return
      case 3:
        this.moderation = oneOf(MODERATION_NAMES, bytes, length) + 1
        return
      case 4:
        if (!decodeBase64(bytes, length, this.key32)) throw malformed("a key is none")
        this.hasKey = true
        return
      case 8:
        return this.readUrl(0, bytes, length)
      case 9:
        return this.readUrl(1, bytes, length)
      default:
        throw malformed("a member has the wrong form")
    }
  }

  private readHandle(bytes: Uint8Array, length: number): void {
    if (length > this.handle.length || !HANDLE.test(latin(bytes, 0, length))) throw malformed("a handle is none")
    for (let at = 0; at < length; at++) this.handle[at] = bytes[at] as number
    this.handleLength = length
  }

  /** Websites will show it as a link: nothing but the web's own addresses, in the characters of an address. */
  private readUrl(which: 0 | 1, bytes: Uint8Array, length: number): void {
    if (!startsAsUrl(bytes, length)) throw malformed("an address is none")
    const into = this.urls[which]
    for (let at = 0; at < length; at++) {
      if ((bytes[at] as number) < 33) throw malformed("an address is none")
      into[at] = bytes[at] as number
    }
    this.urlLengths[which] = length
  }

  private keyText(bytes: Uint8Array, length: number): void {
    if (this.field === 0) {
      if (!decodeBase64(bytes, length, this.entryKey)) throw malformed("a key is none")
    } else if (this.field === 1) this.entryRetired = oneOf(KEY_STATUS_NAMES, bytes, length) === 1
    else {
      this.entryRetiredAt = Date.parse(latin(bytes, 0, length))
      if (Number.isNaN(this.entryRetiredAt)) throw malformed("retired_at is no time")
    }
  }

  /** Of an agent's retired keys the newest are kept: at one of the oldest the reason becomes `bad_signature`. */
  private endKey(): void {
    if (((this.seen[IN_KEY] as number) & 3) !== 3) throw malformed("a member is missing")
    if (!this.entryRetired) return
    if (Number.isNaN(this.entryRetiredAt)) throw malformed("a retired key has no retired_at")
    let at = this.retiredKept
    if (at < BOUNDS.retiredKeysPerAgent) this.retiredKept++
    else {
      at = 0
      for (let index = 1; index < BOUNDS.retiredKeysPerAgent; index++) {
        if ((this.retiredKeys[index] as RetiredKey).at < (this.retiredKeys[at] as RetiredKey).at) at = index
      }
      if ((this.retiredKeys[at] as RetiredKey).at >= this.entryRetiredAt) return
    }
    const kept = (this.retiredKeys[at] ??= { bytes: new Uint8Array(KEY_BYTES), at: 0 })
    kept.bytes.set(this.entryKey)
    kept.at = this.entryRetiredAt
  }

  private endAgent(): void {
    this.complete(ENTRY)
    const { columns, count } = this
    if (!this.hasKey && STATUSES[this.status] !== "retired") throw malformed("an agent has no key")
    columns.numbers = grown(columns.numbers, count + 1)
    columns.states = grown(columns.states, count + 1)
    columns.scores = grown(columns.scores, count * 2 + 2)
    columns.keys = grown(columns.keys, (count + 1) * KEY_BYTES)
    columns.retiredFrom = grown(columns.retiredFrom, count + 1)
    columns.textFrom = grown(columns.textFrom, count + 1)
    columns.retired = grown(columns.retired, (this.retiredCount + this.retiredKept) * KEY_BYTES)
    if (count > 0 && (columns.numbers[count - 1] as number) >= this.agent) this.ascending = false
    columns.numbers[count] = this.agent
    columns.states[count] = this.status | (this.moderation << 2) | (this.retiredKept << 4)
    columns.scores[count * 2] = this.trust
    columns.scores[count * 2 + 1] = this.reputation
    if (this.hasKey) columns.keys.set(this.key32, count * KEY_BYTES)
    columns.retiredFrom[count] = this.retiredCount
    for (let index = 0; index < this.retiredKept; index++) {
      columns.retired.set((this.retiredKeys[index] as RetiredKey).bytes, this.retiredCount++ * KEY_BYTES)
    }
    this.keepTexts()
    this.count++
  }

  private keepTexts(): void {
    const { columns } = this
    const [profile, id] = [this.urlLengths[0] as number, this.urlLengths[1] as number]
    columns.texts = grown(
      columns.texts,
      this.textLength + 1 + this.handleLength + Math.max(profile, 0) + Math.max(id, 0) + 6
    )
    columns.textFrom[this.count] = this.textLength
    this.put(this.handleLength)
    this.putBytes(this.handle, this.handleLength)
    this.keepUrl(this.urls[0], profile, this.handle, this.handleLength)
    this.keepUrl(this.urls[1], id, this.numberText, this.numberLength)
  }

  private keepUrl(url: Uint8Array, length: number, ending: Uint8Array, endingLength: number): void {
    if (length === -1) return this.put(URL_NONE)
    const prefix = this.prefixOf(url, length - endingLength, ending, endingLength)
    if (prefix !== -1) {
      this.put(URL_PREFIXED)
      return this.put(prefix)
    }
    this.put(URL_WHOLE)
    this.put(length >> 8)
    this.put(length & 255)
    this.putBytes(url, length)
  }

  /** The known beginning of an address that ends so; -1 if it does not, or there are too many beginnings. */
  private prefixOf(url: Uint8Array, length: number, ending: Uint8Array, endingLength: number): number {
    if (length <= 0) return -1
    if (!sameUpTo(ending, endingLength, url, length)) return -1
    const known = indexOfName(this.prefixBytes, url, length)
    if (known !== -1 || this.prefixBytes.length >= PREFIXES_MAX) return known
    this.columns.prefixes.push(latin(url, 0, length))
    return this.prefixBytes.push(url.slice(0, length)) - 1
  }

  private put(byte: number): void {
    this.columns.texts[this.textLength++] = byte
  }

  private putBytes(bytes: Uint8Array, length: number): void {
    for (let at = 0; at < length; at++) this.put(bytes[at] as number)
  }
}

const startsAsUrl = (bytes: Uint8Array, length: number): boolean => {
  for (const scheme of URL_SCHEMES) if (length > scheme.length && sameUpTo(scheme, scheme.length, bytes)) return true
  return false
}

const oneOf = (list: ReadonlyArray<Uint8Array>, bytes: Uint8Array, length: number): number => {
  const index = indexOfName(list, bytes, length)
  if (index === -1) throw malformed("a member has an unknown value")
  return index
}

// ---------------------------------------------------------------------------------------------------------------------
// Talking to the hub

interface Settings {
  readonly hub: string
  readonly hosts: ReadonlyArray<string>
  readonly fetch: Fetch
  readonly now: () => number
  readonly clock: "hub" | "own"
  readonly maxStaleMs: number
  readonly fetchTimeoutMs: number
  readonly waitMs: number
  readonly storeTimeoutMs: number
  readonly maxDirectoryBytes: number
  readonly maxAgents: number
}

/** Rejects when the time is over, and says so to whoever does the work. */
const within = async <A>(ms: number, work: (signal: AbortSignal) => Promise<A>, outer?: AbortSignal): Promise<A> => {
  const controller = new AbortController()
  let end: () => void = () => undefined
  const over = new Promise<never>((_, reject) => {
    end = () => {
      reject(new Error("the time is over"))
      controller.abort()
    }
  })
  const timer = setTimeout(end, ms)
  outer?.addEventListener("abort", end)
  try {
    return await Promise.race([work(controller.signal), over])
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener("abort", end)
  }
}

/** Reads a body by parts, never beyond the bound; what is not read to its end is given up. */
const drain = async (
  response: FetchResponse,
  maxBytes: number,
  take: (chunk: Uint8Array) => void,
  signal: AbortSignal
): Promise<void> => {
  const declared = Number(response.headers.get("content-length") ?? "0")
  const reader = response.body?.getReader()
  if (reader === undefined) throw new Error("the answer has no body")
  let bytes = 0
  try {
    if (declared > maxBytes) throw new Error("the answer is too large")
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      if (signal.aborted) throw new Error("the time is over")
      bytes += value?.length ?? 0
      if (bytes > maxBytes) throw new Error("the answer is too large")
      if (value !== undefined) take(value)
    }
  } catch (cause) {
    reader.cancel().catch(() => undefined)
    throw cause
  }
}

const discard = (response: FetchResponse): void => {
  response.body?.cancel?.().catch(() => undefined)
}

const readJson = async (response: FetchResponse, maxBytes: number, signal: AbortSignal): Promise<unknown> => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  await drain(
    response,
    maxBytes,
    (chunk) => {
      text += decoder.decode(chunk, { stream: true })
    },
    signal
  )
  return JSON.parse(text + decoder.decode())
}

/** How long the hub wants to be left alone, in either of HTTP's forms, bounded. */
class Pause {
  private until = 0

  heed(response: FetchResponse, now: number): void {
    if (response.status !== 429 && response.status !== 503) return
    const text = response.headers.get("retry-after") ?? ""
    const ms = /^[0-9]{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
    if (ms > 0) this.until = now + Math.min(ms, BOUNDS.retryAfterMaxSeconds * 1000)
  }

  /** Not after the clock was set back by more than any pause can last. */
  lasts(now: number): boolean {
    return now < this.until && this.until - now <= BOUNDS.retryAfterMaxSeconds * 1000
  }
}

/** The hub's clock, which is the one that agents and the hub's own verdicts go by. */
class HubClock {
  aheadMs = 0
  private readonly settings: Settings

  constructor(settings: Settings) {
    this.settings = settings
  }

  seconds(): number {
    return Math.floor((this.settings.now() + this.aheadMs) / 1000)
  }

  /** An answer out of a shared cache (`Age`) tells an old time: it is not listened to. */
  learn(response: FetchResponse, asked: number): void {
    const now = this.settings.now()
    const text = response.headers.get("x-hub-server-time") ?? ""
    if (this.settings.clock === "own" || now - asked > BOUNDS.clockRoundTripMs || now < asked) return
    if (!TIMESTAMP.test(text) || (response.headers.get("age") ?? "0") !== "0") return
    const ahead = Number(text) * 1000 + 500 - (asked + now) / 2
    this.aheadMs = Math.abs(ahead) > BOUNDS.clockToleranceMs ? Math.round(ahead) : 0
  }
}

type Found = Identity | "id_unknown" | ClientReason

/** Where the verifier reads agents from. */
interface Source {
  find(number: number): Found | Promise<Found>
  /** After a signature that does not hold: what is newer than `seen`, or `null`. */
  newer(number: number, seen: Identity): Promise<Found | null>
  ready(): Promise<boolean>
  settled(): Promise<void>
  close(): void
}

// ---------------------------------------------------------------------------------------------------------------------
// The directory, kept fresh

interface Attempt {
  readonly startedAt: number
  readonly ended: Promise<void>
}

class DirectorySource implements Source {
  directory: Directory | null = null
  /** When the attempt began that gave or confirmed the directory. */
  confirmedAt = 0
  private etag: string | null = null
  private attempt: Attempt | null = null
  private lastAttemptAt = Number.NEGATIVE_INFINITY
  private readonly pause = new Pause()
  private waiting = 0
  private readonly closing = new AbortController()
  private readonly settings: Settings
  private readonly clock: HubClock

  constructor(settings: Settings, clock: HubClock) {
    this.settings = settings
    this.clock = clock
  }

  find(number: number): Found | Promise<Found> {
    const isFresh = this.directory !== null && this.ageMs() < BOUNDS.renewAheadSeconds * 1000
    return (isFresh ? this.directory?.find(number) : null) ?? this.findLater(number)
  }

  private async findLater(number: number): Promise<Found> {
    await this.refresh()
    let directory = this.usable()
    if (directory === null) return "hub_unreachable"
    const found = directory.find(number)
    if (found !== null || number <= directory.maxNumber) return found ?? "id_unknown"
    // Registered since, perhaps.
    await this.wait(this.tryNow())
    directory = this.usable()
    return directory === null ? "hub_unreachable" : (directory.find(number) ?? "id_unknown")
  }

  async newer(number: number): Promise<Found | null> {
    const before = this.directory
    await this.wait(this.tryNow())
    return this.directory === before ? null : (this.directory?.find(number) ?? "id_unknown")
  }

  async ready(): Promise<boolean> {
    await this.refresh()
    return this.usable() !== null
  }

  async settled(): Promise<void> {
    await this.attempt?.ended
  }

  close(): void {
    this.closing.abort()
  }

  ageMs(): number {
    const now = this.settings.now()
    // The clock was set back: how old it is can no longer be told, so it counts as due.
    if (now < this.confirmedAt) this.confirmedAt = now - BOUNDS.directoryMaxAgeSeconds * 1000
    return now - this.confirmedAt
  }

  private usable(): Directory | null {
    return this.directory !== null && this.ageMs() <= this.settings.maxStaleMs ? this.directory : null
  }

  /** Nobody waits before five minutes; then everybody does, for one attempt and for a bounded time. */
  private async refresh(): Promise<void> {
    const age = this.directory === null ? Number.POSITIVE_INFINITY : this.ageMs()
    if (age < BOUNDS.renewAheadSeconds * 1000) return
    const attempt = this.tryNow()
    if (age >= BOUNDS.directoryMaxAgeSeconds * 1000) await this.wait(attempt)
  }

  /** The attempt under way, or a new one if one is permitted. */
  private tryNow(): Promise<void> | null {
    const now = this.settings.now()
    // A runtime may end a request together with what it had begun: such an attempt never tells of its end.
    if (this.attempt !== null && now - this.attempt.startedAt <= this.settings.fetchTimeoutMs) return this.attempt.ended
    const sinceLast = now - this.lastAttemptAt
    if (sinceLast >= 0 && sinceLast < BOUNDS.attemptIntervalSeconds * 1000) return null
    if (this.pause.lasts(now) || this.closing.signal.aborted) return null
    this.lastAttemptAt = now
    const attempt: Attempt = { startedAt: now, ended: Promise.resolve().then(() => this.run(attempt)) }
    this.attempt = attempt
    return attempt.ended
  }

  private async wait(ended: Promise<void> | null): Promise<void> {
    if (ended === null || this.waiting >= BOUNDS.waitingChecks) return
    this.waiting++
    try {
      await within(this.settings.waitMs, () => ended)
    } catch {
      // The attempt goes on; this check is answered from what is held.
    } finally {
      this.waiting--
    }
  }

  private async run(attempt: Attempt): Promise<void> {
    try {
      await within(this.settings.fetchTimeoutMs, (signal) => this.load(attempt, signal), this.closing.signal)
    } catch {
      // A failed attempt changes nothing: what is held stays, and the next attempt is a minute away.
    } finally {
      if (this.attempt === attempt) this.attempt = null
    }
  }

  private async load(attempt: Attempt, signal: AbortSignal): Promise<void> {
    const { settings } = this
    const headers: Record<string, string> = { accept: "application/json" }
    if (this.etag !== null && this.directory !== null) headers["if-none-match"] = this.etag
    const response = await settings.fetch(`${settings.hub}/api/v1/id/directory`, {
      method: "GET",
      headers,
      redirect: "manual",
      signal
    })
    this.pause.heed(response, settings.now())
    if (response.status === 200 || response.status === 304) this.clock.learn(response, attempt.startedAt)
    if (response.status === 304 && headers["if-none-match"] !== undefined) {
      discard(response)
      if (this.attempt === attempt && !signal.aborted) this.confirmedAt = attempt.startedAt
    } else if (response.status === 200) {
      const directory = await this.read(response, signal)
      if (this.attempt === attempt && !signal.aborted) this.replace(directory, response, attempt)
    } else discard(response)
  }

  private async read(response: FetchResponse, signal: AbortSignal): Promise<Directory> {
    const builder = new DirectoryBuilder(this.settings.maxAgents, this.directory)
    const reader = new JsonReader(builder)
    await drain(response, this.settings.maxDirectoryBytes, (chunk) => reader.push(chunk), signal)
    reader.end()
    return builder.finish()
  }

  private replace(directory: Directory, response: FetchResponse, attempt: Attempt): void {
    const held = this.usable()
    // An old copy out of a cache would bring replaced keys back.
    if (held !== null && directory.generatedAt < held.generatedAt - BOUNDS.rollbackSeconds * 1000) return
    const etag = response.headers.get("etag")
    this.etag = etag !== null && etag.length <= BOUNDS.etagChars ? etag : null
    this.directory = directory
    this.confirmedAt = attempt.startedAt
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Single lookups

interface Record_ {
  readonly found: Identity | "id_unknown"
  readonly at: number
}

class LookupSource implements Source {
  /** In the order of their last use. */
  private readonly records = new Map<number, Record_>()
  private readonly underWay = new Map<number, Promise<Found>>()
  private lookups: Array<number> = []
  private readonly pause = new Pause()
  private readonly closing = new AbortController()
  private readonly settings: Settings
  private readonly clock: HubClock

  constructor(settings: Settings, clock: HubClock) {
    this.settings = settings
    this.clock = clock
  }

  find(number: number): Found | Promise<Found> {
    const record = this.records.get(number)
    if (record === undefined) return this.lookUp(number)
    const age = this.settings.now() - record.at
    const seconds = record.found === "id_unknown" ? BOUNDS.unknownRecordMaxAgeSeconds : BOUNDS.recordMaxAgeSeconds
    if (age < 0 || age >= seconds * 1000) return this.lookUp(number)
    this.records.delete(number)
    this.records.set(number, record)
    return record.found
  }

  async newer(number: number, seen: Identity): Promise<Found | null> {
    const record = this.records.get(number)
    if (record !== undefined && record.found !== seen) return record.found
    const age = this.settings.now() - (record?.at ?? 0)
    if (age >= 0 && age < BOUNDS.attemptIntervalSeconds * 1000) return null
    const found = await this.lookUp(number)
    return found === "hub_unreachable" || found === "lookup_limited" ? null : found
  }

  ready(): Promise<boolean> {
    return Promise.resolve(true)
  }

  async settled(): Promise<void> {
    await Promise.all(this.underWay.values())
  }

  close(): void {
    this.closing.abort()
  }

  private lookUp(number: number): Promise<Found> {
    const known = this.underWay.get(number)
    if (known !== undefined) return known
    const now = this.settings.now()
    this.lookups = this.lookups.filter((at) => at <= now && at > now - 60_000)
    if (this.lookups.length >= BOUNDS.lookupsPerMinute || this.pause.lasts(now))
      return Promise.resolve("lookup_limited")
    if (this.closing.signal.aborted) return Promise.resolve("hub_unreachable")
    this.lookups.push(now)
    const lookup = within(
      Math.min(this.settings.waitMs, this.settings.fetchTimeoutMs),
      (signal) => this.load(number, now, signal),
      this.closing.signal
    )
      .catch((): Found => "hub_unreachable")
      .finally(() => this.underWay.delete(number))
    this.underWay.set(number, lookup)
    return lookup
  }

  private async load(number: number, asked: number, signal: AbortSignal): Promise<Found> {
    const { settings } = this
    const response = await settings.fetch(`${settings.hub}/api/v1/id/${formatNumber(number)}`, {
      method: "GET",
      headers: { accept: "application/json" },
      redirect: "manual",
      signal
    })
    this.pause.heed(response, settings.now())
    if (response.status !== 200 && response.status !== 404) {
      discard(response)
      return response.status === 429 ? "lookup_limited" : "hub_unreachable"
    }
    this.clock.learn(response, asked)
    if (response.status === 404) discard(response)
    const found =
      response.status === 404
        ? "id_unknown"
        : identityOf(await readJson(response, BOUNDS.recordBytes, signal), formatNumber(number))
    this.records.delete(number)
    this.records.set(number, { found, at: asked })
    for (const oldest of this.records.keys()) {
      if (this.records.size <= BOUNDS.records) break
      this.records.delete(oldest)
    }
    return found
  }
}

type Members = Readonly<Record<string, unknown>>

const members = (value: unknown): Members => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("the answer has the wrong form")
  return value as Members
}

const dataOf = (answer: unknown): Members => {
  const { ok, data } = members(answer)
  if (ok !== true) throw new Error("the answer has the wrong form")
  return members(data)
}

const expect = <A>(value: unknown, holds: (value: unknown) => boolean): A => {
  if (!holds(value)) throw new Error("the answer has the wrong form")
  return value as A
}

const isText =
  (max: number) =>
  (value: unknown): boolean =>
    typeof value === "string" && value.length <= max
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value)
const isUrl = (value: unknown): boolean =>
  isText(BOUNDS.urlChars)(value) && /^https?:\/\/[\x21-\x7e]+$/.test(value as string)
const among =
  (list: ReadonlyArray<unknown>) =>
  (value: unknown): boolean =>
    list.includes(value)
const orNull =
  (holds: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || holds(value)

const fieldsOf = (data: Members, absent: boolean): AgentFields => {
  const or = absent ? orNull : (holds: (value: unknown) => boolean) => holds
  return {
    handle: expect(
      data["handle"],
      or((value) => typeof value === "string" && HANDLE.test(value))
    ),
    name: expect(data["name"], or(isText(BOUNDS.nameChars))),
    trust: expect(data["trust"], or(isNumber)),
    reputation: expect(data["reputation"], or(isNumber)),
    status: expect(data["status"], or(among(STATUSES))),
    moderation: expect(data["moderation"], among(MODERATIONS)),
    profile_url: expect(data["profile_url"], orNull(isUrl)),
    id_url: expect(data["id_url"], or(isUrl))
  }
}

const keyOf = (value: unknown): Uint8Array => {
  const key = typeof value === "string" ? decodeText(value, KEY_BYTES) : null
  if (key === null) throw new Error("the answer has a key that is none")
  return key
}

const identityOf = (answer: unknown, number: string): Identity => {
  const data = dataOf(answer)
  if (data["id"] !== number) throw new Error("the answer is about another agent")
  const fields = fieldsOf(data, false)
  if (fields.status === "retired") return { fields, key: null, retiredKeys: NO_KEYS }
  const retired = expect<ReadonlyArray<unknown>>(data["keys"], Array.isArray)
    .map(members)
    .filter((key) => key["status"] === "retired")
    .map((key) => ({ bytes: keyOf(key["public_key"]), at: Date.parse(String(key["retired_at"])) }))
    .toSorted((one, other) => other.at - one.at)
  const newest = retired.slice(0, BOUNDS.retiredKeysPerAgent).map(({ bytes }) => bytes)
  return { fields, key: keyOf(data["public_key"]), retiredKeys: () => newest }
}

// ---------------------------------------------------------------------------------------------------------------------
// Judging on this machine

/** Not by `instanceof`: some pages put a Promise of their own in place of the language's. */
const isLater = <A>(value: A | Promise<A>): value is Promise<A> =>
  typeof (value as { readonly then?: unknown } | null)?.then === "function"

const isClientReason = (found: Found): found is ClientReason =>
  (CLIENT_REASONS as ReadonlyArray<unknown>).includes(found)

interface Proof {
  readonly number: number
  readonly id: string
  readonly headers: ProofHeaders
  readonly request: Request
}

type NonceFault = "replayed" | "cache_unavailable" | null

const conclusion = (fault: NonceFault, id: string, fields: AgentFields): Verdict =>
  fault === null ? { valid: true, reason: null, scheme: "hub-id", id, ...fields } : refuse(fault, id, fields)

/**
 * What need not wait is judged at once: a promise for every step would cost a tenth of a verification.
 */
class LocalJudge {
  readonly nonces: NonceMemory
  private readonly source: Source
  private readonly clock: HubClock
  private readonly settings: Settings
  private readonly signatures: Signatures
  private readonly store: NonceStore | undefined

  constructor(
    settings: Settings,
    source: Source,
    clock: HubClock,
    options: { readonly signatures: Signatures; readonly nonces: NonceMemory; readonly store: NonceStore | undefined }
  ) {
    this.settings = settings
    this.source = source
    this.clock = clock
    this.signatures = options.signatures
    this.nonces = options.nonces
    this.store = options.store
  }

  judge(request: Request): Verdict | Promise<Verdict> {
    const [id = null, timestamp = null, nonce = null, signature = null, userAgent = null] = readFields(
      request.headers,
      HEADER_NAMES
    )
    if (id === null && timestamp === null && nonce === null && signature === null)
      return this.judgeAnnouncement(userAgent)
    if (id === null || timestamp === null || nonce === null || signature === null) return refuse("headers_incomplete")
    const number = parseNumber(id)
    if (number === null) return refuse("id_malformed")
    const proof: Proof = { number, id, headers: { timestamp, nonce, signature }, request }
    const found = this.source.find(number)
    return isLater(found) ? found.then((one) => this.judgeFound(proof, one)) : this.judgeFound(proof, found)
  }

  /** A claim and no proof: the agent's fields are a service, not a finding. */
  private async judgeAnnouncement(userAgent: string | null): Promise<Verdict> {
    const id = userAgent === null ? null : announcedNumber(userAgent)
    const number = id === null ? null : parseNumber(id)
    if (number === null) return refuse("headers_missing")
    const found = await this.source.find(number)
    if (typeof found === "string") return refuse("announced_only", null, NO_AGENT, ANNOUNCED)
    return refuse("announced_only", id, found.fields, ANNOUNCED)
  }

  private judgeFound(proof: Proof, found: Found): Verdict | Promise<Verdict> {
    return typeof found === "string" ? refuse(found) : this.judgeProof(proof, found, true)
  }

  /** `mayRenew`: whether a key that is not known yet may be asked for. */
  private judgeProof(proof: Proof, identity: Identity, mayRenew: boolean): Verdict | Promise<Verdict> {
    const { id, headers } = proof
    const { fields } = identity
    if (identity.key === null) return refuse("agent_retired", id, fields)
    if (!TIMESTAMP.test(headers.timestamp)) return refuse("timestamp_invalid", id, fields)
    const timestamp = Number(headers.timestamp)
    const expired =
      Math.abs(timestamp - this.clock.seconds()) > BOUNDS.windowSeconds || timestamp <= this.nonces.forgottenUpTo
    if (expired) return refuse("timestamp_expired", id, fields)
    if (!NONCE.test(headers.nonce)) return refuse("nonce_invalid", id, fields)
    const signer = this.signerOf(proof, identity.key, identity)
    return isLater(signer)
      ? signer.then((one) => this.judgeSigner(proof, identity, one, mayRenew))
      : this.judgeSigner(proof, identity, signer, mayRenew)
  }

  private judgeSigner(proof: Proof, identity: Identity, signer: Signer, mayRenew: boolean): Verdict | Promise<Verdict> {
    const { id } = proof
    const { fields } = identity
    if (signer === "nobody" && mayRenew) return this.judgeRenewed(proof, identity)
    if (signer === "nobody" || signer === "malformed") return refuse("bad_signature", id, fields)
    if (signer === "retired") return refuse("key_retired", id, fields)
    if (fields.status !== "active") {
      return refuse(fields.moderation === "banned" ? "agent_banned" : "agent_suspended", id, fields, GENUINE)
    }
    const refused = this.remember(proof)
    return isLater(refused) ? refused.then((reason) => conclusion(reason, id, fields)) : conclusion(refused, id, fields)
  }

  private async judgeRenewed(proof: Proof, identity: Identity): Promise<Verdict> {
    const newer = await this.source.newer(proof.number, identity)
    if (newer === null || isClientReason(newer)) return refuse("bad_signature", proof.id, identity.fields)
    return newer === "id_unknown" ? refuse(newer) : this.judgeProof(proof, newer, false)
  }

  private signerOf(
    { request, headers, number }: Proof,
    current: Uint8Array,
    identity: Identity
  ): Signer | Promise<Signer> {
    const { method, path } = request
    if (path.length > BOUNDS.targetChars || method.length > BOUNDS.methodChars) return "malformed"
    const { timestamp, nonce } = headers
    const texts = this.settings.hosts.map((host) => identityString({ method, host, path, timestamp, nonce }))
    return this.signatures.signerOf({ number, current, retired: identity.retiredKeys }, texts, headers.signature)
  }

  /** `null` where the nonce is used for the first time, and remembered from now on. */
  private remember(proof: Proof): NonceFault | Promise<NonceFault> {
    const { store } = this
    const { nonce, timestamp } = proof.headers
    if (store === undefined) {
      const added = this.nonces.add(proof.number, nonce, Number(timestamp), this.clock.seconds())
      return added === "fresh" ? null : added === "replayed" ? "replayed" : "cache_unavailable"
    }
    return this.rememberIn(store, `hub-nonce:${proof.id}:${nonce}`)
  }

  private async rememberIn(store: NonceStore, key: string): Promise<NonceFault> {
    try {
      const added: unknown = await within(this.settings.storeTimeoutMs, async () =>
        store.add(key, BOUNDS.nonceMemorySeconds)
      )
      return added === true ? null : added === false ? "replayed" : "cache_unavailable"
    } catch {
      return "cache_unavailable"
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Asking the hub for each verdict

const USER_AGENT = HEADER_NAMES.indexOf("user-agent")

class OnlineJudge {
  private readonly pause = new Pause()
  private underWay = new Set<Promise<unknown>>()
  private readonly closing = new AbortController()
  private readonly settings: Settings

  constructor(settings: Settings) {
    this.settings = settings
  }

  async judge(request: Request): Promise<Verdict> {
    const fields = readFields(request.headers, PROOF_HEADERS)
    const silent = fields.every((text, index) => text === null || index === USER_AGENT)
    if (silent && announcedNumber(fields[USER_AGENT] ?? "") === null) return refuse("headers_missing")
    const headers = Object.fromEntries(
      PROOF_HEADERS.map((name, index) => [name, fields[index]]).filter(([, text]) => text !== null)
    )
    let verdict: Verdict | null = null
    for (const host of this.settings.hosts) {
      verdict = await this.ask({ method: request.method, host, path: request.path, headers })
      if (verdict?.reason !== "bad_signature") break
    }
    return verdict ?? refuse("hub_unreachable")
  }

  async settled(): Promise<void> {
    await Promise.all(this.underWay)
  }

  close(): void {
    this.closing.abort()
  }

  private async ask(body: unknown): Promise<Verdict | null> {
    const { settings } = this
    if (this.pause.lasts(settings.now()) || this.underWay.size >= BOUNDS.waitingChecks || this.closing.signal.aborted)
      return null
    const asked = within(
      Math.min(settings.waitMs, settings.fetchTimeoutMs),
      async (signal) => {
        const headers = { accept: "application/json", "content-type": "application/json" }
        const response = await settings.fetch(`${settings.hub}/api/v1/id/verify`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
          redirect: "manual",
          signal
        })
        this.pause.heed(response, settings.now())
        if (response.status === 200) return verdictOf(await readJson(response, BOUNDS.verdictBytes, signal))
        discard(response)
        return null
      },
      this.closing.signal
    ).catch(() => null)
    this.underWay.add(asked)
    try {
      return await asked
    } finally {
      this.underWay.delete(asked)
    }
  }
}

/** The hub's own verdict, member by member: what does not have the form of a verdict is none. */
const verdictOf = (answer: unknown): Verdict => {
  const data = dataOf(answer)
  const valid = expect<boolean>(data["valid"], among([true, false]))
  const reason = expect<Reason | null>(data["reason"], valid ? among([null]) : among(REASONS))
  const id = expect<string | null>(
    data["id"],
    (value) => (value === null && !valid) || (typeof value === "string" && NUMBER.test(value))
  )
  const fields = fieldsOf(data, !valid)
  if (valid && fields.status !== "active") throw new Error("the answer contradicts itself")
  return {
    valid,
    reason,
    scheme: data["scheme"] === "web-bot-auth" ? "web-bot-auth" : "hub-id",
    id,
    ...fields,
    ...(reason === null ? {} : { message: MESSAGES[reason] }),
    ...(data["announced"] === true ? { announced: true } : {}),
    ...(data["signature_ok"] === true ? { signature_ok: true } : {})
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Putting it together

const LOOPBACK = /^(localhost|127(\.[0-9]{1,3}){3}|\[::1\])$/

const hubOf = (text: string, allowInsecure: boolean): string => {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw misuse("`hub` must be the hub's address, as https://hub.example")
  }
  const secure =
    url.protocol === "https:" || (url.protocol === "http:" && (allowInsecure || LOOPBACK.test(url.hostname)))
  if (!secure) throw misuse("`hub` must be an https address")
  if (url.username + url.password + url.search + url.hash !== "")
    throw misuse("`hub` must have no credentials, query or fragment")
  let end = url.pathname.length
  while (url.pathname[end - 1] === "/") end--
  return url.origin + url.pathname.slice(0, end)
}

const hostsOf = (hosts: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!Array.isArray(hosts) || hosts.length === 0 || hosts.length > BOUNDS.hosts)
    throw misuse(`\`hosts\` must name 1 to ${BOUNDS.hosts} hosts`)
  const normalised = hosts.map((host) => {
    const name = normaliseHost(String(host))
    if (name === null) throw misuse(`\`hosts\`: ${JSON.stringify(host)} is no host name`)
    return name
  })
  return [...new Set(normalised)]
}

const positive = (name: string, value: number | undefined, otherwise: number): number => {
  if (value === undefined) return otherwise
  if (typeof value !== "number" || !(value > 0) || !Number.isFinite(value))
    throw misuse(`\`${name}\` must be a number above 0`)
  return value
}

const settingsOf = (options: VerifierOptions): Settings => {
  const fetch = options.fetch ?? ((url, init) => (runtime.fetch as Fetch)(url, init))
  if (typeof fetch !== "function") throw misuse("`fetch` must be a function")
  return {
    hub: hubOf(options.hub, options.allowInsecureHub === true),
    hosts: hostsOf(options.hosts),
    fetch,
    now: options.now ?? Date.now,
    clock: options.clock ?? "hub",
    maxStaleMs: positive("maxStaleSeconds", options.maxStaleSeconds, 3600) * 1000,
    fetchTimeoutMs: positive("fetchTimeoutMs", options.fetchTimeoutMs, 60_000),
    waitMs: positive("waitMs", options.waitMs, 10_000),
    storeTimeoutMs: positive("storeTimeoutMs", options.storeTimeoutMs, 1000),
    maxDirectoryBytes: positive("maxDirectoryBytes", options.maxDirectoryBytes, 268_435_456),
    maxAgents: positive("maxAgents", options.maxAgents, 1_000_000)
  }
}

export const createVerifier = (options: VerifierOptions): Verifier => {
  const settings = settingsOf(options)
  const nonces = new NonceMemory(positive("maxNonces", options.maxNonces, 1_000_000))
  const signatures = new Signatures(options.ed25519, positive("maxCachedKeys", options.maxCachedKeys, 10_000))
  const clock = new HubClock(settings)
  const mode = options.mode ?? "directory"
  if (mode === "online") {
    const judge = new OnlineJudge(settings)
    return verifierOf(
      judge,
      { ready: () => Promise.resolve(true), settled: () => judge.settled(), close: () => judge.close() },
      () => stateOf(null, nonces, clock)
    )
  }
  if (mode !== "directory" && mode !== "lookup") throw misuse("`mode` must be directory, lookup or online")
  const source = mode === "directory" ? new DirectorySource(settings, clock) : new LookupSource(settings, clock)
  const judge = new LocalJudge(settings, source, clock, { signatures, nonces, store: options.store })
  return verifierOf(judge, source, () => stateOf(source instanceof DirectorySource ? source : null, nonces, clock))
}

const verifierOf = (
  judge: { judge(request: Request): Verdict | Promise<Verdict> },
  source: Pick<Source, "close" | "ready" | "settled">,
  state: () => VerifierState
): Verifier => ({
  check: async (request, options) => judge.judge(readRequest(request, options)),
  ready: () => source.ready(),
  settled: () => source.settled(),
  state,
  close: () => source.close()
})

const stateOf = (source: DirectorySource | null, nonces: NonceMemory, clock: HubClock): VerifierState => {
  const directory = source?.directory ?? null
  nonces.forget(clock.seconds())
  return {
    agents: directory?.count ?? null,
    generated_at: directory === null ? null : new Date(directory.generatedAt).toISOString(),
    age_seconds: source === null || directory === null ? null : Math.floor(source.ageMs() / 1000),
    nonces: nonces.size,
    clock_ahead_ms: clock.aheadMs
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Adapters

export interface AdapterOptions {
  /** Answer requests without a valid proof here (401, 403 or 503), instead of passing the verdict on. */
  readonly require?: boolean
}

const refusalBody = ({ reason, message }: Verdict): string => JSON.stringify({ error: reason, message })

const refusalResponse = (verdict: Verdict): Response =>
  new Response(refusalBody(verdict), {
    status: statusOf(verdict),
    headers: { "content-type": "application/json", "cache-control": "no-store" }
  })

/** For handlers of Fetch requests: Workers, Deno, Bun. The handler gets the verdict after the request. */
export const fetchHandler =
  <R extends FetchRequest, Rest extends ReadonlyArray<unknown>, A>(
    verifier: Verifier,
    handler: (request: R, verdict: Verdict, ...rest: Rest) => A | Promise<A>,
    options: AdapterOptions = {}
  ) =>
  async (request: R, ...rest: Rest): Promise<A | Response> => {
    const verdict = await verifier.check(request)
    // Workers end what a request began together with it, unless they are told of it.
    const context = rest[1] as { waitUntil?(work: Promise<unknown>): void } | undefined
    context?.waitUntil?.(verifier.settled())
    return options.require === true && !verdict.valid ? refusalResponse(verdict) : handler(request, verdict, ...rest)
  }

export interface ExpressRequest {
  readonly method: string
  readonly originalUrl: string
  readonly headers: HeaderRecord
  hubAgent?: Verdict
}
export interface ExpressResponse {
  status(code: number): { type(type: string): { send(body: string): unknown } }
}

/** Middleware for Express: the verdict becomes `req.hubAgent`. */
export const express =
  (verifier: Verifier, options: AdapterOptions = {}) =>
  (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void): void => {
    verifier.check({ method: request.method, path: request.originalUrl, headers: request.headers }).then((verdict) => {
      request.hubAgent = verdict
      if (options.require !== true || verdict.valid) return next()
      response.status(statusOf(verdict)).type("application/json").send(refusalBody(verdict))
    }, next)
  }

export interface HonoContext {
  readonly req: { readonly raw: FetchRequest }
  set(name: "hubAgent", value: Verdict): void
}

/** Middleware for Hono: the verdict is `c.get("hubAgent")`. */
export const hono =
  (verifier: Verifier, options: AdapterOptions = {}) =>
  async (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const verdict = await verifier.check(context.req.raw)
    context.set("hubAgent", verdict)
    if (options.require === true && !verdict.valid) return refusalResponse(verdict)
    await next()
    return undefined
  }
