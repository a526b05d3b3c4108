/**
 * Makes one request to the service, with as many tries as it needs.
 *
 * Invariants
 *  - Every try has a new signature with a new nonce and timestamp. It covers the request byte for byte as it is sent,
 *    without the installation's path prefix.
 *  - A signed write has the same Idempotency-Key in all its tries, so that a try whose answer was lost is not carried
 *    out twice.
 *  - A token is sent only to the service: redirects are not followed. Its writes are repeated like signed ones.
 *  - Only these are repeated: reads, writes with an Idempotency-Key or `repeatable`, and requests that surely were not
 *    carried out (429, `overloaded`, a connection that failed). If the answer of an unsigned write is lost, the caller
 *    must decide.
 *  - If the service refuses a timestamp, the difference of the clocks is corrected once.
 *  - The number of tries, the time for each and for all, and the size of an answer are bounded. If the service asks for
 *    a wait that is longer than the remaining time, the error says how long it is.
 *  - A cancelled call ends at once, with the reason of its signal.
 */
import { requestStringV2 } from "../../../schemas/signing/request.ts"
import type { HubAddress } from "./address.ts"
import { type Answer, answerOf, readBytes } from "./answer.ts"
import { randomBytes, sha256Hex } from "./crypto.ts"
import { toBase64, utf8 } from "./encoding.ts"
import { clientError, HubError, isHubError } from "./errors.ts"
import type { AgentKey } from "./key.ts"

export interface RetryOptions {
  /** The bounds for all tries together. */
  readonly tries: number
  readonly totalMs: number
  /**
   * The pause before the second try. It doubles for each later one, up to `pauseMaxMs`, and the actual pause is drawn
   * at random below that.
   */
  readonly pauseMs: number
  readonly pauseMaxMs: number
}

export const RETRY: RetryOptions = { tries: 5, totalMs: 60_000, pauseMs: 250, pauseMaxMs: 8_000 }
export const TIMEOUT_MS = 30_000
export const ANSWER_MAX_BYTES = 16_777_216

const NONCE_BYTES = 18
const IN_FLIGHT_PAUSE_MS = 1_000
/** Causes of a connection that failed before anything was sent. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT"
])
const BROKEN: ReadonlySet<string> = new Set(["connection_failed", "timed_out"])
/**
 * A 503 with a `Retry-After` of at least this many seconds ends only when an operator acts. The client does not wait
 * for it.
 */
const OPERATOR_SECONDS = 3600
const UNAVAILABLE = 503
const BROKEN_STATUS: ReadonlySet<number> = new Set([502, 503, 504])

export interface SendOptions {
  /** Bytes are sent as they are, other values as JSON. */
  readonly body?: unknown
  /** The content type of bytes. */
  readonly contentType?: string
  /** A key to sign with in place of the client's; `null` for no signature. */
  readonly key?: AgentKey | null
  /** A token that is sent in place of a signature. */
  readonly token?: string
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
  readonly maxAnswerBytes?: number
  /** True for an unsigned write that may be carried out twice. */
  readonly repeatable?: boolean
}

export interface TransportOptions {
  readonly address: HubAddress
  readonly fetch: typeof fetch
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly retry: RetryOptions
  readonly timeoutMs: number
  readonly maxAnswerBytes: number
}

interface Prepared {
  readonly method: string
  readonly url: string
  readonly signedPath: string
  readonly body: Uint8Array<ArrayBuffer>
  readonly bodySha256: string
  readonly key: AgentKey | null
  readonly headers: Readonly<Record<string, string>>
  readonly repeatable: boolean
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number
  readonly maxAnswerBytes: number
}

export const freshNonce = (): string => toBase64(randomBytes(NONCE_BYTES))

const isRead = (method: string): boolean => method === "GET" || method === "HEAD"

/** Copies the body, so that the signed bytes are sent even if the caller changes the original. */
const bytesOf = (body: unknown): Uint8Array<ArrayBuffer> =>
  body instanceof Uint8Array ? Uint8Array.from(body) : utf8(body === undefined ? "" : JSON.stringify(body))

const causeCode = (cause: unknown): unknown => {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  return inner instanceof Error && "code" in inner ? inner.code : undefined
}

/** Rejects with the signal's reason as soon as it is aborted. */
const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, ms)
    signal?.addEventListener("abort", stop, { once: true })
  })

export class Transport {
  readonly options: TransportOptions
  #offsetSeconds = 0

  constructor(options: TransportOptions) {
    this.options = options
  }

  /** Unix seconds by the service's clock, if the difference is known. */
  timestamp(): string {
    return String(Math.floor(this.options.now() / 1000) + this.#offsetSeconds)
  }

  async send(method: string, target: string, key: AgentKey | null, options: SendOptions = {}): Promise<Answer> {
    const prepared = await this.#prepare(method, target, options.key === undefined ? key : options.key, options)
    const end = performance.now() + this.options.retry.totalMs
    let clockLearned = false
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(prepared)
      } catch (error) {
        if (!(error instanceof HubError)) throw error
        if (error.code === "auth_timestamp_skew" && !clockLearned && this.#learnClock(error)) {
          clockLearned = true
          continue
        }
        const wait = this.#waitAfter(error, prepared, tries)
        if (wait === null || tries >= this.options.retry.tries || performance.now() + wait > end) throw error
        await pause(wait, prepared.signal)
      }
    }
  }

  async #prepare(method: string, target: string, key: AgentKey | null, options: SendOptions): Promise<Prepared> {
    const { url, signed } = this.options.address.locate(target)
    const body = bytesOf(options.body)
    const type =
      options.contentType ?? (options.body instanceof Uint8Array ? "application/octet-stream" : "application/json")
    const isWrite = !isRead(method)
    const { token } = options
    const once =
      isWrite && (key !== null || token !== undefined) ? (options.idempotencyKey ?? crypto.randomUUID()) : undefined
    return {
      method,
      url,
      signedPath: signed,
      body,
      bodySha256: await sha256Hex(body),
      key,
      headers: {
        ...(body.length === 0 ? {} : { "content-type": type }),
        ...(once === undefined ? {} : { "idempotency-key": once }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
      },
      repeatable: !isWrite || once !== undefined || options.repeatable === true,
      signal: options.signal,
      timeoutMs: options.timeoutMs ?? this.options.timeoutMs,
      maxAnswerBytes: options.maxAnswerBytes ?? this.options.maxAnswerBytes
    }
  }

  async #signature({ method, signedPath, bodySha256, key }: Prepared): Promise<Readonly<Record<string, string>>> {
    if (key === null) return {}
    const [timestamp, nonce] = [this.timestamp(), freshNonce()]
    const text = requestStringV2({
      method,
      host: this.options.address.host,
      path: signedPath,
      timestamp,
      nonce,
      bodySha256
    })
    return {
      "x-hub-key": key.publicKey,
      "x-hub-timestamp": timestamp,
      "x-hub-nonce": nonce,
      "x-hub-signature": await key.sign(text)
    }
  }

  async #once(request: Prepared): Promise<Answer> {
    request.signal?.throwIfAborted()
    const headers = { ...request.headers, ...(await this.#signature(request)) }
    const timeout = AbortSignal.timeout(request.timeoutMs)
    const signal = request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout])
    try {
      const init: RequestInit = {
        method: request.method,
        headers,
        redirect: "manual",
        signal,
        ...(request.body.length === 0 ? {} : { body: request.body })
      }
      const response = await this.options.fetch(request.url, init)
      return answerOf(response, await readBytes(response, request.maxAnswerBytes))
    } catch (error) {
      if (error instanceof HubError) throw error
      request.signal?.throwIfAborted()
      if (timeout.aborted) throw clientError("timed_out", `no whole answer within ${request.timeoutMs} ms`)
      const code = causeCode(error)
      throw clientError(
        "connection_failed",
        `the service could not be reached${typeof code === "string" ? ` (${code})` : ""}`,
        { cause: error }
      )
    }
  }

  /** Milliseconds until the next try; `null` if there must be none. */
  #waitAfter(error: HubError, request: Prepared, tries: number): number | null {
    const { pauseMs, pauseMaxMs } = this.options.retry
    const backoff = Math.random() * Math.min(pauseMaxMs, pauseMs * 2 ** (tries - 1))
    if (error.status === UNAVAILABLE && (error.retryAfter ?? 0) >= OPERATOR_SECONDS) return null
    const asked = error.retryAfter === null ? backoff : error.retryAfter * 1000 + backoff
    if (error.status === 429 || error.code === "overloaded") return asked
    if (BROKEN.has(error.code) && NEVER_SENT.has(String(causeCode(error.cause)))) return backoff
    if (!request.repeatable) return null
    // A proxy may send a request twice. Then the second one gets this answer.
    if (error.code === "auth_nonce_reused") return 0
    if (error.code === "idempotency_in_flight") return error.retryAfter === null ? IN_FLIGHT_PAUSE_MS : asked
    return BROKEN.has(error.code) || BROKEN_STATUS.has(error.status) ? asked : null
  }

  #learnClock(error: HubError): boolean {
    const { server_time: time } = error.details
    if (typeof time !== "number" || !Number.isSafeInteger(time)) return false
    this.#offsetSeconds = time - Math.floor(this.options.now() / 1000)
    return true
  }
}

export const isUnknownOutcome = (error: unknown): boolean =>
  isHubError(error) &&
  (BROKEN.has(error.code) ||
    error.status >= 500 ||
    error.code === "answer_malformed" ||
    error.code === "answer_too_large")
