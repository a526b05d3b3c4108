/**
 * An agent that talks to the service.
 *
 * `call` makes one exchange. `retrying` behaves as a well-made client should (contract 13): a 503 and a refused
 * connection are tried again, each time signed afresh and under the same Idempotency-Key; so is the 409 that a try
 * meets because one before it, which was not answered well, is still under way. Anything else is the answer.
 */
import { setTimeout as delay } from "node:timers/promises"
import { type Answer, type Exchange, send } from "./http.ts"
import { type Identity, newIdentity, signedHeaders } from "./identity.ts"

const RETRY_PAUSE_MS = 25
/** For what never comes: a slow machine may need many tries. */
const RETRY_DEADLINE_MS = 300_000

export interface CallOptions {
  /** Texts and bytes as they are, anything else as JSON. */
  readonly body?: unknown
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Which edge to ask, where it shall not be the client's own choice. */
  readonly edge?: string
}

export interface ClientOptions {
  readonly identity?: Identity
  /** The edge of the next exchange. */
  readonly edge: () => string
  /** A connection that is lost under a request is no answer either: what comes of it is asked again under its key. */
  readonly losesConnections?: boolean
  /** Hears of each exchange that a retry will follow. */
  readonly onRetry?: (answer: Answer | null) => void
}

export class AgentClient {
  readonly identity: Identity
  readonly #options: ClientOptions
  /** The last signed exchange as it was sent. */
  last: Exchange | undefined

  constructor(options: ClientOptions) {
    this.identity = options.identity ?? newIdentity()
    this.#options = options
  }

  get hubId(): string {
    return this.identity.hubId
  }

  signed(method: string, path: string, options: CallOptions = {}): Exchange {
    const edge = options.edge ?? this.#options.edge()
    const body = bytesOf(options.body)
    return {
      edge,
      method,
      path,
      body,
      headers: {
        ...signedHeaders(this.identity, { method, host: new URL(edge).host, path, body }),
        ...(options.idempotencyKey === undefined ? {} : { "idempotency-key": options.idempotencyKey }),
        ...options.headers
      }
    }
  }

  call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    this.last = this.signed(method, path, options)
    return send(this.last)
  }

  async retrying(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const end = Date.now() + RETRY_DEADLINE_MS
    for (let tries = 1; ; tries++) {
      const answer = await this.call(method, path, options).catch((cause: unknown) =>
        withoutAnswer(cause, this.#options.losesConnections === true)
      )
      const meetsItself = tries > 1 && answer?.status === 409 && answer.code === "idempotency_in_flight"
      if (answer !== null && answer.status !== 503 && !meetsItself) return answer
      this.#options.onRetry?.(answer)
      if (Date.now() > end)
        throw new Error(
          `${method} ${path} did not succeed within ${RETRY_DEADLINE_MS} ms; last: ${answer?.text ?? "connection refused"}`
        )
      await delay(RETRY_PAUSE_MS)
    }
  }
}

const bytesOf = (body: unknown): string | Uint8Array => {
  if (body === undefined) return ""
  return typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)
}

const withoutAnswer = (cause: unknown, losesConnections: boolean): null => {
  const code = cause instanceof Error && "code" in cause ? cause.code : ""
  if (code === "ECONNREFUSED" || (losesConnections && (code === "ECONNRESET" || code === "EPIPE"))) return null
  throw cause
}
