/**
 * Makes one HTTP POST to an address that a stranger has given. Time and bytes are bounded.
 *
 * Invariants
 *  - It ends within `timeout_ms` (name, connection, TLS and the answer's head together), whatever the receiver does,
 *    because a timer settles it.
 *  - The status of the answer decides. At most `answer_max_bytes` of its body are read, for at most `answer_drain_ms`,
 *    so that the connection can be used again. A longer body closes the connection.
 *  - It follows no redirect and uses no proxy.
 *  - If a request over a kept connection fails before an answer, for example because the receiver has closed the
 *    connection, it is sent once more, over a new connection. If the receiver has taken the first request after all, it
 *    sees the same `webhook-id` twice.
 *  - The body, the headers and the address never appear in a log or an error.
 */
import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions
} from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import type { LookupFunction, Socket } from "node:net"
import type { Clock } from "effect"
import { webhookAddressProblem } from "../../schemas/agent/fields.ts"
import type { Limits } from "../../schemas/limits.ts"
import { after, wallMs, monotonicMs } from "../../schemas/runtime/clock.ts"
import type { DeliveryError } from "../../schemas/webhook/api.ts"
import {
  bareHost,
  BlockedAddress,
  byNameServers,
  guardedLookup,
  literalBlocked,
  type Reach,
  type Resolve,
  UnresolvedName
} from "./reach.ts"

export interface PostOutcome {
  readonly response_code: number | null
  /** `null` if the receiver accepted it. */
  readonly error: DeliveryError | null
  readonly retry_after_seconds: number | null
  readonly duration_ms: number
}

export interface PosterOptions {
  readonly clock: Clock.Clock
  readonly production: boolean
  readonly limits: Limits["webhook"]
  readonly resolve?: Resolve
  /** Certificates that are trusted in addition to the usual ones. */
  readonly ca?: string
}

/** The most idle connections for all receivers together. One that is idle for longer is closed. */
const IDLE_MAX = 512
const IDLE_MS = 20_000

class StaleConnection extends Error {}
class Late extends Error {}
/** The connection ended without any error. */
class Unanswered extends Error {}

/** Limits the number of idle connections, so that many receivers do not use up the sockets. */
const bounded = <A extends HttpAgent>(agent: A): A => {
  const idle = new Set<unknown>()
  /** Sockets with a listener, because a connection is kept many times, but closed only once. */
  const watched = new WeakSet<object>()
  // It returns whether the socket is kept, although its type says otherwise.
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Parameters<A["keepSocketAlive"]>[0]) => unknown
  const reuse = agent.reuseSocket.bind(agent)
  agent.keepSocketAlive = (socket) => {
    if (idle.size >= IDLE_MAX || keep(socket) === false) return false
    idle.add(socket)
    if (!watched.has(socket)) {
      watched.add(socket)
      socket.once("close", () => idle.delete(socket))
    }
    return true
  }
  agent.reuseSocket = (socket, request) => {
    idle.delete(socket)
    reuse(socket, request)
  }
  return agent
}

export class Poster {
  private readonly options: PosterOptions
  private readonly reach: Reach
  private readonly kept: Agents
  /** Keeps no connection, so each request gets a new one. */
  private readonly fresh: Agents

  constructor(options: PosterOptions) {
    this.options = options
    this.reach = { loopback: !options.production }
    const lookup: LookupFunction = guardedLookup(this.reach, options.resolve ?? byNameServers())
    const settings = {
      keepAlive: true,
      timeout: IDLE_MS,
      maxSockets: Number.POSITIVE_INFINITY,
      scheduling: "lifo",
      lookup
    } as const
    const secure = { ...settings, ...(options.ca === undefined ? {} : { ca: options.ca }) }
    this.kept = { plain: bounded(new HttpAgent(settings)), secure: bounded(new HttpsAgent(secure)) }
    this.fresh = {
      plain: new HttpAgent({ ...settings, keepAlive: false }),
      secure: new HttpsAgent({ ...secure, keepAlive: false })
    }
  }

  /** `signal`: aborts the attempt. Its connection is then closed immediately, and it counts as late. */
  async post(
    address: string,
    headers: Readonly<Record<string, string | number>>,
    body: Buffer,
    signal?: AbortSignal
  ): Promise<PostOutcome> {
    const { clock } = this.options
    const began = monotonicMs(clock)
    const failed = (error: DeliveryError): PostOutcome => ({
      response_code: null,
      error,
      retry_after_seconds: null,
      duration_ms: Math.round(monotonicMs(clock) - began)
    })
    const { production, limits } = this.options
    if (webhookAddressProblem(address, production) !== null) return failed("blocked_address")
    const url = new URL(address)
    if (literalBlocked(url.hostname, this.reach)) return failed("blocked_address")
    const bounds = { deadline: began + limits.timeout_ms, signal }
    try {
      const answer = await this.exchange(this.kept, url, headers, body, bounds).catch((error: unknown) => {
        if (error instanceof StaleConnection) return this.exchange(this.fresh, url, headers, body, bounds)
        throw error
      })
      return { ...answer, duration_ms: Math.round(monotonicMs(clock) - began) }
    } catch (error) {
      return failed(reasonOf(error))
    }
  }

  close(): void {
    for (const { plain, secure } of [this.kept, this.fresh]) {
      plain.destroy()
      secure.destroy()
    }
  }

  private exchange(
    agents: Agents,
    url: URL,
    headers: Readonly<Record<string, string | number>>,
    body: Buffer,
    { deadline, signal }: Bounds
  ): Promise<Omit<PostOutcome, "duration_ms">> {
    const { clock, limits } = this.options
    const secure = url.protocol === "https:"
    const options: RequestOptions = {
      protocol: url.protocol,
      hostname: bareHost(url.hostname),
      port: url.port,
      path: url.pathname + url.search,
      method: "POST",
      headers,
      agent: secure ? agents.secure : agents.plain,
      maxHeaderSize: limits.answer_max_header_bytes
    }
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(new Late())
      const outgoing = secure ? httpsRequest(options) : httpRequest(options)
      const stage = stageOf(outgoing, secure)
      const fail = (error: unknown): void => {
        settled()
        const stale = outgoing.reusedSocket && !(error instanceof Late)
        reject(stale ? new StaleConnection() : stage.handshaking && !isOwn(error) ? new BrokenTls() : error)
      }
      const answered = (answer: IncomingMessage): void => {
        settled()
        resolve(judged(answer, wallMs(clock)))
      }
      const cut = (): void => {
        fail(new Late())
        outgoing.destroy(new Late())
      }
      const settled = (): void => {
        endTimer()
        signal?.removeEventListener("abort", cut)
      }
      // The timer is needed because an aborted request may report no error any more.
      const endTimer = after(clock, Math.max(0, deadline - monotonicMs(clock)), cut)
      signal?.addEventListener("abort", cut)
      outgoing.on("response", (answer) => {
        answered(answer)
        drain(clock, answer, limits)
      })
      outgoing.on("upgrade", (answer, socket) => {
        answered(answer)
        socket.on("error", () => undefined)
        socket.destroy()
      })
      outgoing.on("error", fail)
      // `close` is always the last event. An attempt without an outcome by then would never get one.
      outgoing.on("close", () => fail(new Unanswered()))
      outgoing.end(body)
    })
  }
}

interface Agents {
  readonly plain: HttpAgent
  readonly secure: HttpsAgent
}

interface Bounds {
  readonly deadline: number
  readonly signal: AbortSignal | undefined
}

class BrokenTls extends Error {}

const isOwn = (error: unknown): boolean =>
  error instanceof Late || error instanceof BlockedAddress || error instanceof UnresolvedName

/** Records whether the TLS handshake is under way. A failure at that stage is a fault of TLS. */
const stageOf = (outgoing: ClientRequest, secure: boolean): { handshaking: boolean } => {
  const stage = { handshaking: false }
  if (!secure) return stage
  outgoing.once("socket", (socket: Socket) => {
    if (outgoing.reusedSocket) return
    socket.once("connect", () => {
      stage.handshaking = true
    })
    socket.once("secureConnect", () => {
      stage.handshaking = false
    })
  })
  return stage
}

const reasonOf = (error: unknown): DeliveryError => {
  if (error instanceof Late) return "timeout"
  if (error instanceof BlockedAddress) return "blocked_address"
  if (error instanceof UnresolvedName) return "dns"
  return error instanceof BrokenTls ? "tls" : "connect"
}

/**
 * The client never asks for another protocol, and a connection that was switched to one cannot be used for HTTP any
 * more.
 */
const SWITCHING_PROTOCOLS = 101

const drain = (clock: Clock.Clock, answer: IncomingMessage, limits: Limits["webhook"]): void => {
  if (answer.statusCode === SWITCHING_PROTOCOLS) answer.destroy()
  let left = limits.answer_max_bytes
  const cancel = after(clock, limits.answer_drain_ms, () => answer.destroy())
  answer.on("data", (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) answer.destroy()
  })
  answer.on("error", () => undefined)
  answer.on("close", cancel)
}

const judged = (answer: IncomingMessage, now: number): Omit<PostOutcome, "duration_ms"> => {
  const response_code = answer.statusCode ?? 0
  if (response_code >= 200 && response_code < 300) return { response_code, error: null, retry_after_seconds: null }
  const error = response_code >= 300 && response_code < 400 ? "redirect" : (`http_${response_code}` as const)
  return { response_code, error, retry_after_seconds: retryAfter(answer.headers["retry-after"], now) }
}

/** Parses seconds or a date (RFC 9110); `null` for anything else. */
export const retryAfter = (text: string | undefined, now: number): number | null => {
  if (text === undefined) return null
  if (/^\s*\d{1,10}\s*$/.test(text)) return Number(text)
  const at = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / 1000))
}
