/** One request on its way through the edge: the request, what is known about its sender, and data for its answer. */
import type { IncomingMessage } from "node:http"
import { type Clock, Effect } from "effect"
import { EMPTY_BODY_SHA256 } from "../../schemas/signing/request.ts"
import type { Ticket } from "./ticket.ts"
import type { RateState } from "../../schemas/bus/frames.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { Span } from "../../schemas/runtime/trace/span.ts"
import type { Holder } from "./holder.ts"
import type { Person } from "./person.ts"
import type { ClientHash, Network } from "./address.ts"
import type { DocUrls } from "./doc-urls.ts"
import type { Endpoint } from "./endpoints.ts"
import type { Refused } from "./refused.ts"

const NO_BYTES = Buffer.alloc(0)

/** A client's own request id is logged only if it matches, so that it can break no log line. */
const CLIENT_REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/

export interface Installation {
  /** The path of the base address, without a trailing slash. Empty for an installation at the root. */
  readonly basePath: string
  readonly docUrls: DocUrls
}

export class Call {
  readonly clock: Clock.Clock
  /** Random, unique; also the reference that a client sees with an error. */
  readonly id: string
  readonly request: IncomingMessage
  readonly method: string
  /** Path and query as sent, without the host and without the path of the installation's address. */
  readonly target: string
  readonly path: string
  /**
   * The query string after the first `?`, or empty. The markdown form of a page adds parameters before it calls the
   * page's endpoint (edge/markdown/serve.ts).
   */
  search: string
  readonly docUrls: DocUrls
  readonly client: ClientHash
  readonly wide: ClientHash | null
  /** Unix ms. */
  readonly startedAt: number
  /** Unix ms after which the client no longer waits for the answer. Held requests and uploads extend it. */
  deadline: number
  endpoint: Endpoint | null = null
  body: Buffer = NO_BYTES
  /** The SHA-256 of the body in lower-case hex, computed while it arrives. */
  bodySha256: string = EMPTY_BODY_SHA256
  /** Set once a signature has been verified. */
  ticket: Ticket | null = null
  /** The person with a valid session, at endpoints for people. */
  person: Person | null = null
  /** The holder of a valid vault token, at endpoints that accept one. */
  holder: Holder | null = null
  /**
   * Checks the sender before costly work: has the signature settled, or draws on `anon` if the key need not be an
   * agent's. Does nothing if that was done.
   */
  known: Effect.Effect<void, Refused> = Effect.void
  /**
   * Called when an actor reports that the signature's nonce was used before, even if the client has disconnected by
   * then.
   */
  onReplay: (() => void) | null = null
  rate: RateState | null = null
  refusal: Refusal | null = null
  /** Names of body members that were ignored, see ignored.ts. */
  ignored: ReadonlyArray<string> = []
  /** Command id of a request with an Idempotency-Key, see edge/pipeline/idempotency.ts. */
  command: string | null = null
  /** True if the command was carried out before, and only its first answer must be made again. */
  again = false
  /** The recipe to make the answer again, if it was stored instead of the answer. */
  remake: string | null = null
  /**
   * True for a health check from one of the operator's networks. It draws on neither `ip` nor `anon`, and needs no
   * place for queries.
   */
  isProbe = false
  /**
   * True if the client had too many queries under way (edge/bus/query-places.ts). Parts of the answer may then be
   * missing for this client alone.
   */
  crowded = false
  /** Functions that free resources which are held until the answer is sent (lent.ts). */
  readonly lent: Array<() => void> = []
  /** The span of the request; `null` if it is not traced. */
  span: Span | null = null
  /** Extra headers of the answer, in lower case. */
  readonly headers: Record<string, string> = {}
  readonly cookies: Array<string> = []
  private asks = 0

  /** `basePath` is the path of the installation's address. It is not part of the interface's paths, and not signed. */
  constructor(
    clock: Clock.Clock,
    id: string,
    request: IncomingMessage,
    { client, wide }: Network,
    { basePath, docUrls }: Installation,
    startedAt: number,
    deadline: number
  ) {
    this.clock = clock
    this.id = id
    this.request = request
    this.method = request.method ?? "GET"
    this.target = withoutPrefix(targetOf(request.url ?? "/"), basePath)
    const query = this.target.indexOf("?")
    this.path = query === -1 ? this.target : this.target.slice(0, query)
    this.search = query === -1 ? "" : this.target.slice(query + 1)
    this.docUrls = docUrls
    this.client = client
    this.wide = wide
    this.startedAt = startedAt
    this.deadline = deadline
  }

  /** A new id for each ask, so that two asks of one request are two commands. */
  nextAskId(): string {
    return `${this.id}.${this.asks++}`
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  }

  get wantsProblem(): boolean {
    return this.header("accept")?.includes("application/problem+json") ?? false
  }

  get wantsHtml(): boolean {
    const accepts = /text\/html(?:\s*;\s*q=([\d.]+))?/.exec(this.header("accept") ?? "")
    return accepts !== null && Number(accepts[1] ?? 1) > 0
  }

  get clientRequestId(): string | undefined {
    const value = this.header("x-request-id")
    return value !== undefined && CLIENT_REQUEST_ID.test(value) ? value : undefined
  }
}

/** The path and query. A request to a proxy names the whole address, and the path then follows the authority. */
const targetOf = (url: string): string => {
  if (url.startsWith("/")) return url
  const path = /^https?:\/\/[^/?#]*((?:[/?][^#]*)?)$/i.exec(url)?.[1]
  if (path === undefined) return url
  return path.startsWith("/") ? path : `/${path}`
}

/** A proxy in front may or may not have removed the prefix. */
const withoutPrefix = (target: string, basePath: string): string =>
  basePath !== "" && target.startsWith(`${basePath}/`) ? target.slice(basePath.length) : target
