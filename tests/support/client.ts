/**
 * An agent that talks to the service.
 *
 * `call` makes one exchange. `retrying` behaves as a good client should (contract 13). It repeats after a 503 and after
 * a refused connection, each time with a new signature and the same Idempotency-Key. It also repeats after a 409 that
 * says that an earlier try is still under way. Every other answer is returned.
 */
import { setTimeout as delay } from "node:timers/promises"
import { type Answer, type Exchange, send } from "./http.ts"
import { type Identity, newIdentity, signedHeaders } from "./identity.ts"
import { patience } from "../../ops/launcher/patience.ts"

const RETRY_PAUSE_MS = 25
/** Only an answer that never comes takes this long: a slow machine may need many tries. */
const RETRY_DEADLINE_MS = 300_000

export interface CallOptions {
  /** Text and bytes are sent as they are, other values as JSON. */
  readonly body?: unknown
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The edge to use instead of the client's own choice. */
  readonly edge?: string
}

export interface ClientOptions {
  readonly identity?: Identity
  /** Chooses the edge for the next exchange. */
  readonly edge: () => string
  /**
   * True to repeat a request also if its connection is lost, or if a proxy says so (502). The Idempotency-Key makes this
   * safe.
   */
  readonly losesConnections?: boolean
  /** Called for each exchange that is followed by a retry. */
  readonly onRetry?: (answer: Answer | null) => void
}

export class AgentClient {
  readonly identity: Identity
  readonly #options: ClientOptions
  /** The last signed exchange, as it was sent. */
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
    const isOver = patience(RETRY_DEADLINE_MS)
    for (let tries = 1; ; tries++) {
      const answer = await this.call(method, path, options).catch((cause: unknown) =>
        withoutAnswer(cause, this.#options.losesConnections === true)
      )
      const meetsItself = tries > 1 && answer?.status === 409 && answer.code === "idempotency_in_flight"
      const isLost = this.#options.losesConnections === true && answer?.status === 502
      if (answer !== null && answer.status !== 503 && !isLost && !meetsItself) return answer
      this.#options.onRetry?.(answer)
      if (isOver())
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
