/**
 * The path of every request through the edge.
 *
 * Invariants
 *  - Order: the client's bucket (`ip`), the request's size and shape, the endpoint and its part of the service, the
 *    bucket of unsigned requests, the body. Then the signature or session, the bucket of the key, the handler. A
 *    refused request draws nothing from later buckets. Health checks from the operator's networks draw on neither `ip`
 *    nor `anon`. Invalid signatures count for their client only (edge/auth/unverified.ts).
 *  - Pages take the same path. They draw on the bucket `web`. A signature means nothing there, and a form of another
 *    site is refused (edge/http/form.ts).
 *  - A body is read only if the endpoint takes one, and, for signed endpoints, only after the signature's headers look
 *    right. Any other body is ignored, and the connection closes.
 *  - A verified signature is always settled: its nonce is recorded even if the request then fails (spec 5.1). The
 *    handler's ask does that. If a signature is optional, a separate ask does it first, so that nothing is read for an
 *    unknown key. If the handler asks nothing, a separate ask does it before the answer is sent. A refusal of that ask
 *    is the answer.
 *  - Work that is proportional to a body follows the check of its sender. A signed body above `LARGE_BODY_BYTES` is
 *    settled and draws on the agent's buckets before its handler decodes it. An unsigned one draws on `anon`. Each
 *    large body then waits for its client's turn (edge/http/turns.ts).
 *  - Each request has one fiber, which is interrupted if the client leaves. Commands that an actor has received by then
 *    are still carried out.
 *  - Every failure becomes an answer: an envelope for the interface, or a page. A defect is a 500 with the request's id
 *    as its reference. Its details are in the log under that id, and never in the answer.
 *  - Every answer is finished and logged once, here.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Cause, type Clock, type Context, Effect } from "effect"
import { NO_SIGNATURE, unsigned } from "../auth/headers.ts"
import { admittedPerson, isBearer, readBearer } from "../human/index.ts"
import type { Bearer } from "../http/person.ts"
import { admittedHolder, isBearer as isHolder, readHolder } from "../vault/index.ts"
import type { Outside } from "./outside.ts"
import { dependsOnVisitor } from "../identity/index.ts"
import { type BodyKind, bodyCeiling } from "../../schemas/body-ceiling.ts"
import { notFound, type Refusal, refusal } from "../../schemas/errors.ts"
import type { Clients } from "../http/address.ts"
import { closing, hasBody, type ReadBody, readBody } from "../http/body.ts"
import { Call, type Installation } from "../http/call.ts"
import { preflight } from "../http/cors.ts"
import { type EndpointTable, isApiPath, type Match } from "../http/endpoints.ts"
import type { Route } from "../http/handlers.ts"
import { answeredBefore, idempotent } from "./idempotency.ts"
import { conditionalWriteRefusal, ifMatchRefusal } from "../http/if-match.ts"
import { giveBackOnceSent } from "../http/lent.ts"
import { drawnOf, passed } from "../http/limits.ts"
import { logDefect, type RequestLog } from "../http/log.ts"
import type { EdgeMetrics } from "../http/metrics.ts"
import type { Refusals } from "../http/refusals.ts"
import { Refused } from "../http/refused.ts"
import { finish, refused, type Response } from "../http/respond.ts"
import { discard, send } from "../http/send.ts"
import { misshapen } from "../http/shape.ts"
import type { Shares } from "../http/shares.ts"
import { type SignatureParts, Signatures } from "./signature.ts"
import type { RequestTraces } from "../http/trace.ts"
import { isKnown, LARGE_BODY_BYTES, turnFor } from "../http/turns.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { newRequestId } from "../../schemas/request-id.ts"
import { wallMs, monotonicMs } from "../../schemas/runtime/clock.ts"

export interface PipelineParts extends SignatureParts {
  readonly clock: Clock.Clock
  readonly clients: Clients
  readonly bodies: Shares
  readonly table: EndpointTable
  readonly log: RequestLog
  readonly metrics: EdgeMetrics
  readonly refusals: Refusals
  readonly traces: RequestTraces
  readonly installation: Installation
  /** Handlers of admitted requests, by the endpoint's id. */
  readonly routes: ReadonlyMap<string, Route>
  readonly outside: Outside
  /** The refusal if the part of the service that an endpoint needs is missing. `null` if it exists. */
  readonly absence: (needed: "mail" | "ses") => Refusal | null
  /** The process's services, including its logger. */
  readonly context: Context.Context<never>
}

const HEALTH = `${API_PREFIX}/health`

/** A health check from one of the operator's own networks (`HUB_PROBES`). */
const isProbe = ({ path, method, request }: Call, clients: Clients): boolean =>
  path === HEALTH && (method === "GET" || method === "HEAD") && clients.probes(request)

/** nginx's status for a client that disconnected before its answer. It appears only in the log. */
const CLIENT_CLOSED_REQUEST = 499

export class Pipeline {
  private readonly parts: PipelineParts
  private readonly signatures: Signatures
  private readonly run: ReturnType<typeof Effect.runForkWith<never>>

  constructor(parts: PipelineParts) {
    this.parts = parts
    this.signatures = new Signatures(parts)
    this.run = Effect.runForkWith(parts.context)
  }

  /** Takes a request from the server. Its fiber ends if the client leaves. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const fiber = this.run(this.answer(request, response))
    response.on("close", () => {
      if (!response.writableEnded) fiber.interruptUnsafe()
    })
  }

  private answer(request: IncomingMessage, response: ServerResponse): Effect.Effect<void> {
    const { parts } = this
    const now = wallMs(parts.clock)
    const began = monotonicMs(parts.clock)
    parts.metrics.began()
    const call = new Call(
      parts.clock,
      newRequestId(now),
      request,
      parts.clients.of(request),
      parts.installation,
      now,
      now + parts.limits.service.request_deadline_ms
    )
    parts.traces.begin(call)
    const held = { bytes: 0 }
    // Serving may be interrupted. Answering, and releasing resources, may not.
    return Effect.uninterruptible(
      Effect.ensuring(
        Effect.map(
          Effect.catchCause(Effect.interruptible(this.serve(call, response, held)), (cause) =>
            this.failed(call, cause)
          ),
          (answer) => {
            const finished = finish(call, this.matching(call, answer))
            parts.metrics.answered(call, finished.status, began)
            parts.log.request(call, finished.status, Number(finished.headers["content-length"] ?? 0))
            parts.refusals.note(call, finished.status)
            parts.traces.end(call, finished.status)
            try {
              if (call.cookies.length > 0) response.setHeader("set-cookie", call.cookies)
              send(request, response, finished)
            } catch (error) {
              // Headers that Node refuses are a defect of ours. The connection ends, so that the client does not wait.
              logDefect(call, error)
              discard(finished)
              response.destroy()
            }
          }
        ),
        Effect.sync(() => {
          parts.bodies.give(call, held.bytes)
          giveBackOnceSent(call, response)
          parts.metrics.left()
        })
      )
    )
  }

  private readonly serve = Effect.fnUntraced(
    { self: this as Pipeline },
    function* (
      this: Pipeline,
      call: Call,
      response: ServerResponse,
      held: { bytes: number }
    ): Effect.fn.Return<Response, Refused> {
      const { parts } = this
      const isFree = isProbe(call, parts.clients)
      call.isProbe = isFree
      const taken = isFree ? null : parts.buckets.takeOf("ip", call)
      if (taken !== null) yield* passed(taken)
      const bad = misshapen(call, parts.limits)
      if (bad !== null) return yield* closing(call, bad)
      const match = parts.table.match(call.method, call.path)
      if (match.kind === "found") call.endpoint = match.endpoint
      const isPage = !isApiPath(call.path)
      if (isPage) yield* parts.outside.admit(call, match)
      if (call.method === "OPTIONS" && match.kind !== "none") return preflight(call, match.allow)
      const absent = call.endpoint === null || call.endpoint.needs === null ? null : parts.absence(call.endpoint.needs)
      if (absent !== null) return yield* closing(call, absent)
      const read = isPage ? NO_SIGNATURE : this.signatures.read(call)
      const drawn = isPage || (isFree && read.kind === "none") ? null : this.signatures.drawnBefore(call, read)
      if (drawn !== null) yield* passed(drawn)
      if (read.kind === "refused") return yield* closing(call, read.refusal)
      if (call.endpoint?.auth === "signed" && read.kind === "none")
        return yield* closing(call, unsigned(call.endpoint.id))
      const bearer = call.endpoint?.auth === "human" ? readBearer(call) : null
      if (bearer !== null && !isBearer(bearer)) return yield* closing(call, bearer)
      const wanted = call.endpoint?.token ?? null
      const borne = wanted === null ? null : readHolder(call, wanted, read.kind === "signed")
      if (borne !== null && !isHolder(borne)) return yield* closing(call, borne)
      if (hasBody(call.request)) {
        // A signature covers the body that was sent, even if the endpoint has none (spec 5.1).
        const kind = call.endpoint?.body ?? (call.endpoint !== null && read.kind === "signed" ? "plain" : null)
        if (kind === null) call.headers["connection"] = "close"
        if (match.kind !== "found") return yield* this.dispatch(call, match)
        if (kind !== null) {
          const came = yield* this.bodyOf(call, response, kind, held)
          call.body = came.bytes
          call.bodySha256 = came.sha256
        }
      }
      if (read.kind === "signed") {
        const refusedByKey = yield* this.signatures.admit(call, read.headers)
        if (refusedByKey !== null)
          return yield* this.signatures.settle(call, refused(call, refusedByKey), "agent.admit_key")
      }
      if (borne !== null) call.holder = yield* admittedHolder(parts.bus, parts.buckets, call, borne)
      const before = bearer === null ? null : yield* this.entered(call, bearer)
      const answer = before ?? (yield* this.dispatch(call, match))
      if (isPage && call.refusal === null && dependsOnVisitor(call)) call.headers["cache-control"] = "private, no-store"
      return call.ticket === null || call.ticket.spent ? answer : yield* this.signatures.settle(call, answer)
    }
  )

  /** Admits a person. Returns the first answer if this repeats the request that ended the session. */
  private entered(call: Call, bearer: Bearer): Effect.Effect<Response | null, Refused> {
    const { bus, buckets, limits } = this.parts
    const admitted = Effect.map(admittedPerson(bus, buckets, call, bearer), (person) => {
      call.person = person
      return null
    })
    return Effect.catch(admitted, (failed) =>
      failed.refusal.code === "session_invalid"
        ? Effect.flatMap(answeredBefore(bus, call, limits, bearer), (first) =>
            first === null ? Effect.fail(failed) : Effect.succeed(first)
          )
        : Effect.fail(failed)
    )
  }

  private bodyOf(
    call: Call,
    response: ServerResponse,
    kind: BodyKind,
    held: { bytes: number }
  ): Effect.Effect<ReadBody, Refused> {
    const { limits, bodies } = this.parts
    const { body_timeout_ms, upload_timeout_ms, request_deadline_ms } = limits.service
    const isUpload = kind === "file" || kind === "upload"
    const timeoutMs = isUpload ? upload_timeout_ms : body_timeout_ms
    const bounds = { maxBytes: bodyCeiling(limits, kind), timeoutMs, budget: bodies }
    const read = readBody(call, response, bounds, (bytes) => {
      held.bytes = bytes
    })
    const whole = isUpload
      ? Effect.tap(read, () => Effect.sync(() => void (call.deadline = wallMs(call.clock) + request_deadline_ms)))
      : read
    return Effect.catch(whole, (failed) => closing(call, failed.refusal))
  }

  private dispatch(call: Call, match: Match): Effect.Effect<Response, Refused> {
    if (match.kind === "none")
      return Effect.succeed(
        this.refused(call, isApiPath(call.path) ? notFound("endpoint") : this.parts.outside.nothing)
      )
    if (match.kind === "method") {
      call.headers["allow"] = match.allow
      const why = `${call.method} is not possible here.`
      return Effect.succeed(this.refused(call, refusal("method_not_allowed", why, { allow: match.allow.split(", ") })))
    }
    const route = this.parts.routes.get(match.endpoint.id)
    if (route === undefined) return Effect.die(new Error(`Nothing handles ${match.endpoint.id}`))
    const unmet = conditionalWriteRefusal(call, match.endpoint)
    if (unmet !== null) return Effect.succeed(this.refused(call, unmet))
    const served = Effect.suspend(() => route(call, match.params))
    let isChecked = false
    call.known = Effect.suspend(() => {
      if (isChecked) return Effect.void
      isChecked = true
      return this.known(call)
    })
    const entered =
      call.body.length > LARGE_BODY_BYTES ? Effect.andThen(turnFor(call), served) : this.settledFirst(call, served)
    const handled = Effect.catchCause(entered, (cause) => this.failed(call, cause))
    return Effect.catch(idempotent(this.parts.bus, call, this.parts.limits, handled), (failed) =>
      Effect.succeed(refused(call, failed.refusal))
    )
  }

  private settledFirst(call: Call, served: Effect.Effect<Response, Refused>): Effect.Effect<Response, Refused> {
    return call.ticket !== null && call.endpoint?.settled === "first"
      ? Effect.andThen(this.parts.bus.settle(call), served)
      : served
  }

  /**
   * Checks the sender. An unknown one draws on `anon`, unless the request has done so already or is a notice of the mail
   * provider.
   */
  private known(call: Call): Effect.Effect<void, Refused> {
    const { bus, buckets } = this.parts
    const { endpoint, ticket } = call
    if (endpoint === null) return Effect.void
    if (isKnown(call)) return ticket === null || ticket.spent ? Effect.void : Effect.asVoid(bus.settle(call))
    return endpoint.drawsAnon || endpoint.body === "notice" ? Effect.void : drawnOf(buckets, "anon", call)
  }

  /** An interruption is passed on, because its client is gone. Every other failure becomes an answer. */
  private failed(call: Call, cause: Cause.Cause<unknown>): Effect.Effect<Response> {
    if (Cause.hasInterruptsOnly(cause)) {
      this.parts.log.request(call, CLIENT_CLOSED_REQUEST, 0)
      this.parts.traces.end(call, null)
      return Effect.failCause(cause as Cause.Cause<never>)
    }
    const error = Cause.squash(cause)
    if (error instanceof Refused) return Effect.succeed(this.refused(call, error.refusal))
    logDefect(call, error)
    const fault = refusal("internal_error", "Something went wrong inside the service.", { reference: call.id })
    return Effect.succeed(this.refused(call, fault))
  }

  private matching(call: Call, answer: Response): Response {
    const why = ifMatchRefusal(call, answer)
    if (why === null) return answer
    discard(answer)
    delete call.headers["content-range"]
    return this.refused(call, why)
  }

  private refused(call: Call, why: Refusal): Response {
    return isApiPath(call.path) ? refused(call, why) : this.parts.outside.refused(call, why)
  }
}
