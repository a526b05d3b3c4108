/**
 * The way of every request through the edge.
 *
 * Invariants
 *  - Order: the client's own ceiling (`ip`), the request's size and shape, the endpoint, the bucket of the unsigned or of
 *    the key, the body, the signature, the handler. Whatever is refused has drawn nothing from a later bucket.
 *  - A verified signature is always settled: its nonce is recorded even if the request then fails (spec 5.1). The
 *    handler's own ask does it; where the handler made none, an ask of its own does it before the answer leaves, and
 *    what that refuses is the answer.
 *  - One fiber a request; a client that goes away interrupts it. What was asked of an actor by then is still done.
 *  - Whatever goes wrong ends in the envelope. A fault of the service is a 500 with the request's id as its reference;
 *    what happened stands in the log under that id and never in the answer.
 *  - Every answer is finished and logged once, here.
 */
import { randomUUID } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Cause, Effect, type Scope } from "effect"
import { HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { readSignatureHeaders, type SignatureHeaders } from "../auth/headers.ts"
import type { Verifier } from "../auth/verify.ts"
import type { Bus } from "../bus/bus.ts"
import { API_PREFIX } from "../../schemas/api.ts"
import { notFound, type Refusal, refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Clients } from "./address.ts"
import { announcesTooMuch, type BodyBudget, hasBody, readBody, tooLarge } from "./body.ts"
import { Call, CurrentCall } from "./call.ts"
import { preflight } from "./cors.ts"
import { type EndpointTable, isApiPath, type Match } from "./endpoints.ts"
import { idempotent } from "./idempotency.ts"
import { issueRefusal } from "./json.ts"
import type { EdgeLimits, Taken } from "./limits.ts"
import type { RequestLog } from "./log.ts"
import { withoutRepeats } from "./query.ts"
import { Refused, refuse } from "./refused.ts"
import { finish, refused } from "./respond.ts"

type Response = HttpServerResponse.HttpServerResponse

/** What the routes make of a request that has been let in. */
export type Routes = Effect.Effect<Response, unknown, HttpServerRequest.HttpServerRequest | Scope.Scope | CurrentCall>

export interface PipelineParts {
  readonly limits: Limits
  readonly clients: Clients
  readonly buckets: EdgeLimits
  readonly verifier: Verifier
  readonly bus: Bus
  readonly bodies: BodyBudget
  readonly table: EndpointTable
  readonly log: RequestLog
  /** Path of the installation's base address, without a trailing slash; empty for a root installation. */
  readonly basePath: string
  readonly routes: Routes
  /** The pages for humans, outside the interface. */
  readonly pages: (call: Call) => Effect.Effect<Response, Refused>
  /** What they answer when something is refused. */
  readonly refusedPage: (call: Call, refusal: Refusal) => Response
}

/** nginx's number for a client that left before its answer; only ever seen in the log. */
const CLIENT_CLOSED_REQUEST = 499

export class Pipeline {
  private readonly parts: PipelineParts

  constructor(parts: PipelineParts) {
    this.parts = parts
  }

  readonly app: Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest | Scope.Scope> = Effect.suspend(() =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => this.answer(request))
  )

  private answer(request: HttpServerRequest.HttpServerRequest): Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest | Scope.Scope> {
    const { parts } = this
    const source = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
    const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
    const now = Date.now()
    const call = new Call(randomUUID(), source, parts.clients.of(source), parts.basePath, now, now + parts.limits.service.request_deadline_ms)
    const held = { bytes: 0 }
    return Effect.interruptible(this.serve(call, request, response, held)).pipe(
      Effect.matchCauseEffect({
        onSuccess: (answer) => Effect.succeed(answer),
        onFailure: (cause) => this.failed(call, cause)
      }),
      Effect.map((answer) => {
        const finished = finish(call, answer)
        const body = finished.body
        parts.log.request(call, finished.status, body._tag === "Uint8Array" ? body.contentLength : 0)
        return finished
      }),
      Effect.ensuring(Effect.sync(() => parts.bodies.release(held.bytes)))
    )
  }

  private readonly serve = Effect.fnUntraced({ self: this as Pipeline }, function*(
    this: Pipeline,
    call: Call,
    request: HttpServerRequest.HttpServerRequest,
    response: ServerResponse,
    held: { bytes: number }
  ): Effect.fn.Return<Response, Refused, HttpServerRequest.HttpServerRequest | Scope.Scope> {
    const { parts } = this
    yield* pass(parts.buckets.take("ip", call.client))
    const misshapen = this.misshapen(call)
    if (misshapen !== null) return yield* closing(call, misshapen)
    if (!isApiPath(call.path)) return yield* parts.pages(call)
    const match = parts.table.match(call.method, call.path)
    if (call.method === "OPTIONS" && match.kind !== "none") return preflight(call, match.allow)
    if (match.kind === "found") call.endpoint = match.endpoint
    const signature = yield* this.signatureOf(call)
    if (hasBody(call.request)) {
      call.body = yield* Effect.catch(
        readBody(call.request, response, parts.limits, parts.bodies, (bytes) => {
          held.bytes = bytes
        }),
        (failed) => closing(call, failed.refusal)
      )
    }
    if (signature !== null) {
      const verdict = parts.verifier.verify({ method: call.method, target: call.target, body: call.body, hostHeader: call.header("host") }, signature, call.startedAt)
      if (!verdict.ok) return yield* refuse(verdict.refusal)
      call.ticket = verdict.ticket
    }
    const answer = yield* this.dispatch(call, request, match)
    return call.ticket === null || call.ticket.spent ? answer : yield* this.settle(call, answer)
  })

  /** Refusals by shape alone, before anything of the request is read. */
  private misshapen(call: Call): Refusal | null {
    const { service } = this.parts.limits
    if (call.target.length > service.max_url_chars) {
      return refusal("uri_too_long", `The address is longer than ${service.max_url_chars} characters.`, { max_chars: service.max_url_chars })
    }
    if (call.request.rawHeaders.length / 2 > service.max_headers) {
      return refusal("header_fields_too_large", `The request has more than ${service.max_headers} headers.`, { max_headers: service.max_headers })
    }
    return announcesTooMuch(call.request, this.parts.limits) ? tooLarge(this.parts.limits) : null
  }

  private readonly signatureOf = (call: Call): Effect.Effect<SignatureHeaders | null, Refused> => {
    const { buckets, limits } = this.parts
    const read = readSignatureHeaders(call.request.headers, Math.floor(call.startedAt / 1000), limits.authentication.timestamp_skew_seconds)
    if (read.kind === "refused") return Effect.flatMap(pass(buckets.take("anon", call.client)), () => Effect.fail(refuse(read.refusal)))
    if (read.kind === "signed") return Effect.as(pass(buckets.take("key", read.headers.publicKey)), read.headers)
    const drawsAnon = call.endpoint === null || call.endpoint.drawsAnon
    return drawsAnon ? Effect.as(pass(buckets.take("anon", call.client)), null) : Effect.succeed(null)
  }

  private dispatch(call: Call, request: HttpServerRequest.HttpServerRequest, match: Match): Effect.Effect<Response, Refused, HttpServerRequest.HttpServerRequest | Scope.Scope> {
    if (match.kind === "none") return Effect.succeed(refused(call, notFound("endpoint")))
    if (match.kind === "method") {
      call.headers["allow"] = match.allow
      return Effect.succeed(refused(call, refusal("method_not_allowed", `${call.method} is not possible here.`, { allow: match.allow.split(", ") })))
    }
    if (match.endpoint.auth === "signed" && call.ticket === null) return Effect.fail(refuse(unsigned(match.endpoint.id)))
    const routed = this.routed(call, request)
    return Effect.catch(idempotent(this.parts.bus, call, this.parts.limits, routed), (failed) => Effect.succeed(refused(call, failed.refusal)))
  }

  private routed(call: Call, request: HttpServerRequest.HttpServerRequest): Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest | Scope.Scope> {
    const routes = Effect.provideService(this.parts.routes, CurrentCall, call)
    const url = routedUrl(call, request.url)
    const asked = url === null ? routes : Effect.provideService(routes, HttpServerRequest.HttpServerRequest, request.modify({ url }))
    return Effect.catchCause(asked, (cause) => this.failed(call, cause))
  }

  private settle(call: Call, answer: Response): Effect.Effect<Response, never> {
    const { ticket } = call
    if (ticket === null) return Effect.succeed(answer)
    const op = call.endpoint?.anyKey === true ? "agent.admit_key" : "agent.authenticate"
    return Effect.matchEffect(this.parts.bus.askSigned(call, { kind: "agent", actor: ticket.home, op, input: null }), {
      onSuccess: () => Effect.succeed(answer),
      onFailure: (failed) => Effect.succeed(refused(call, failed.refusal))
    })
  }

  /** An interruption goes on: its client is gone. Everything else becomes an answer. */
  private failed(call: Call, cause: Cause.Cause<unknown>): Effect.Effect<Response> {
    if (Cause.hasInterruptsOnly(cause)) {
      this.parts.log.request(call, CLIENT_CLOSED_REQUEST, 0)
      return Effect.failCause(cause as Cause.Cause<never>)
    }
    const error = Cause.squash(cause)
    const answer = isApiPath(call.path) ? refused : this.parts.refusedPage
    const known = refusalOf(error)
    if (known !== null) return Effect.succeed(answer(call, known))
    this.parts.log.defect(call, error)
    return Effect.succeed(answer(call, refusal("internal_error", "Something went wrong inside the service.", { reference: call.id })))
  }
}

/** What the router shall see, where that is not what was sent: no prefix, one path for the root, each parameter once. */
const routedUrl = (call: Call, sent: string): string | null => {
  const search = withoutRepeats(call.search) ?? call.search
  const path = call.path === `${API_PREFIX}/` ? API_PREFIX : call.path
  const url = search === "" ? path : `${path}?${search}`
  return url === sent ? null : url
}

const refusalOf = (error: unknown): Refusal | null => {
  if (error instanceof Refused) return error.refusal
  if (HttpApiError.HttpApiSchemaError.is(error)) {
    if (error.kind === "Params") return notFound("resource")
    if (error.kind === "Query") return issueRefusal(error.cause.issue, "query")
    return null
  }
  if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") return notFound("endpoint")
  return null
}

const unsigned = (endpoint: string): Refusal =>
  endpoint === "registration.register"
    ? refusal("signature_required", "Step 3 must be signed with the key of step 1.", { headers: ["X-Hub-Key", "X-Hub-Timestamp", "X-Hub-Nonce", "X-Hub-Signature"] })
    : refusal("authentication_required", "This endpoint needs a signed request.", { headers: ["X-Hub-Key", "X-Hub-Timestamp", "X-Hub-Nonce", "X-Hub-Signature"] })

const PASSED: Effect.Effect<void> = Effect.void

const pass = (taken: Taken | Promise<Taken>): Effect.Effect<void, Refused> => {
  if (taken === null) return PASSED
  if (!(taken instanceof Promise)) return Effect.fail(refuse(taken))
  return Effect.flatMap(Effect.promise(() => taken), (result) => (result === null ? PASSED : Effect.fail(refuse(result))))
}

/** A body that was not read to its end leaves no way to find the next request on the same connection. */
const closing = (call: Call, refusal: Refusal): Effect.Effect<never, Refused> => {
  if (hasBody(call.request)) call.headers["connection"] = "close"
  return Effect.fail(refuse(refusal))
}
