/** The requests of handlers to the actors' side: operations of one actor, and queries of the read models. */
import type { MsgHdrs } from "@nats-io/transport-node"
import { type Clock, Effect } from "effect"
import { wallMs, monotonicMs } from "../../schemas/runtime/clock.ts"
import type { Asker } from "../../schemas/runtime/bus/asker.ts"
import {
  type OperationName,
  OPERATIONS,
  type Operations,
  type Queries,
  type QueryName,
  type QueryReply
} from "../../schemas/bus/operations.ts"
import { type ErrorCode, type Refusal, unavailable } from "../../schemas/errors.ts"
import type { BucketName } from "../../schemas/limits.ts"
import { secondsSince } from "../../schemas/runtime/metrics/calls.ts"
import { subjects } from "../../schemas/subjects.ts"
import { askSpan, endAnswered, endAs, querySpan } from "../../schemas/runtime/trace/ask.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { QueryClient } from "../../schemas/runtime/bus/queries.ts"
import { askerOf, type GivePlace, type QueryPlaces, tooManyQueries, tooManySearches } from "./query-places.ts"

export interface Request<Op extends OperationName> {
  readonly actor: string
  readonly op: Op
  readonly input: Operations[Op]["input"]
  /** The agent's buckets to draw on, if they are not the endpoint's. */
  readonly draw?: ReadonlyArray<BucketName> | undefined
  /** True if each try of a repeated request is a new command, even with an Idempotency-Key. */
  readonly anew?: true
  /** The deadline in Unix ms, if it is not the request's own. */
  readonly deadline?: number
}

export type Outcome =
  | { readonly ok: true; readonly body: Uint8Array }
  | { readonly ok: false; readonly refusal: Refusal }

/**
 * The deadline and the span that a query takes from a request. `call` is the request whose client the query counts for
 * (query-places.ts). It is `null` for queries that count for no client, for example because all clients share the
 * answer.
 */
export type Within = Call | (Pick<Call, "deadline"> & Partial<Pick<Call, "span">> & { readonly call: Call | null })

/**
 * Operations that settle a signature and do nothing else: one for keys of agents, one for keys that need not belong to
 * an agent.
 */
export type SettlingOp = "agent.authenticate" | "agent.admit_key"

/**
 * After a rotation, the new key's own id is not the agent's id, and an ask to it is redirected. More redirections than
 * this are a fault.
 */
const MOVES_MAX = 2

const noAnswer = (view: string): Refused =>
  refuse({
    ...unavailable("The service's read side did not answer. It is safe to try again."),
    from: { by: "bus", asked: view }
  })

const refusedBy = (view: string, refusal: Refusal): Refused =>
  refuse({ ...refusal, from: { by: "query", asked: view } })

const utf8 = new TextDecoder()
const encoder = new TextEncoder()

/** Queries that search texts of publications or names in Postgres, if they have a `q` (actors/content/searching.ts). */
const SEARCHES: ReadonlySet<QueryName> = new Set(["search", "posts", "threads", "agents"])

const isSearch = (view: QueryName, input: unknown): boolean =>
  SEARCHES.has(view) && typeof input === "object" && input !== null && "q" in input && (input.q ?? "") !== ""

/** `refused` is `undefined` if the query succeeded. */
export interface QueryObserver {
  readonly settled: (view: string, refused: ErrorCode | undefined, seconds: number) => void
}

export class Bus {
  private readonly clock: Clock.Clock
  private readonly asker: Asker
  private readonly queries: QueryClient<MsgHdrs>
  private readonly observer: QueryObserver
  private readonly places: QueryPlaces | null

  /** `places` is `null` if all clients are operators. */
  constructor(
    clock: Clock.Clock,
    asker: Asker,
    queries: QueryClient<MsgHdrs>,
    observer: QueryObserver,
    places: QueryPlaces | null
  ) {
    this.clock = clock
    this.asker = asker
    this.queries = queries
    this.observer = observer
    this.places = places
  }

  /** The operation's output as ready JSON. The operation does not learn who signed the request. */
  ask<Op extends OperationName>(call: Call, request: Request<Op>): Effect.Effect<Uint8Array, Refused> {
    return this.effect(() => this.outcome(call, request, false))
  }

  /** Has the signer's actor record the nonce of a signed request and check its key. */
  settle(call: Call, op: SettlingOp = settlingOp(call)): Effect.Effect<Uint8Array, Refused> {
    return this.askSigned(call, { actor: call.ticket?.home ?? "", op, input: null, draw: call.endpoint?.draw })
  }

  /**
   * Asks on behalf of the signer. The first such ask of a request has the nonce checked, and draws on the agent's
   * buckets.
   */
  askSigned<Op extends OperationName>(call: Call, request: Request<Op>): Effect.Effect<Uint8Array, Refused> {
    return this.effect(() => this.outcome(call, request, true))
  }

  read<Op extends OperationName>(call: Call, request: Request<Op>): Effect.Effect<Operations[Op]["output"], Refused> {
    return Effect.map(this.ask(call, request), parse<Operations[Op]["output"]>)
  }

  query<View extends QueryName>(
    within: Within,
    view: View,
    input: Queries[View]["input"],
    timeoutMs?: number
  ): Effect.Effect<Queries[View]["output"], Refused> {
    return Effect.flatMap(this.queried(within, view, input, timeoutMs), (answer) => {
      const reply = parse<QueryReply<Queries[View]["output"]>>(answer)
      return reply.ok ? Effect.succeed(reply.data) : Effect.fail(refusedBy(view, reply.refused))
    })
  }

  queryBytes<View extends QueryName>(
    within: Within,
    view: View,
    input: Queries[View]["input"],
    timeoutMs?: number
  ): Effect.Effect<Uint8Array, Refused> {
    return Effect.flatMap(this.queried(within, view, input, timeoutMs), (answer) => {
      if (isGood(answer)) return Effect.succeed(answer.subarray(QUERY_GOOD.length, -1))
      const reply = parse<QueryReply<unknown>>(answer)
      return Effect.fail(reply.ok ? noAnswer(view) : refusedBy(view, reply.refused))
    })
  }

  private queried<View extends QueryName>(
    within: Within,
    view: View,
    input: Queries[View]["input"],
    timeoutMs?: number
  ): Effect.Effect<Uint8Array, Refused> {
    return Effect.suspend(() => {
      const call = "call" in within ? within.call : within
      if (call === null || call.isProbe || this.places === null)
        return this.asked(within, view, input, () => undefined, timeoutMs)
      const takesTurns = isSearch(view, input)
      const give = this.places.take(call, takesTurns)
      if (give !== null) return this.asked(within, view, input, give, timeoutMs, askerOf(call))
      call.crowded = true
      const refusal = takesTurns ? tooManySearches : tooManyQueries
      this.observer.settled(view, refusal.code, 0)
      return Effect.fail(refuse(refusal))
    })
  }

  private asked<View extends QueryName>(
    within: Within,
    view: View,
    input: Queries[View]["input"],
    give: GivePlace,
    timeoutMs: number | undefined,
    client?: string
  ): Effect.Effect<Uint8Array, Refused> {
    const timeout = Math.max(1, timeoutMs ?? within.deadline - wallMs(this.clock))
    const began = monotonicMs(this.clock)
    return Effect.flatMap(
      Effect.tryPromise({
        try: async () => {
          let answer: Uint8Array | null = null
          try {
            const span = querySpan(within.span, view)
            answer = await this.queries.ask(
              subjects.query(view, hostIn(input)),
              encoder.encode(JSON.stringify(input)),
              wallMs(this.clock) + timeout,
              span?.traceparent,
              client
            )
            if (span !== null) endAs(span, answer === null ? "unavailable" : "ok")
            return answer
          } finally {
            give(answer !== null)
          }
        },
        catch: () => noAnswer(view)
      }),
      (answer) => {
        this.observer.settled(view, faultOf(answer), secondsSince(this.clock, began))
        return answer === null ? Effect.fail(noAnswer(view)) : Effect.succeed(answer)
      }
    )
  }

  async outcome<Op extends OperationName>(call: Call, request: Request<Op>, signed: boolean): Promise<Outcome> {
    const ticket = signed ? call.ticket : null
    const draw = ticket === null || ticket.spent ? null : (request.draw ?? call.endpoint?.draw ?? [])
    let { actor } = request
    const { kind } = OPERATIONS[request.op]
    for (let moves = 0; moves <= MOVES_MAX; moves++) {
      const span = askSpan(call.span, kind, request.op, actor)
      const { head, body } = await this.asker.ask(
        {
          id: call.nextAskId(),
          kind,
          actor,
          op: request.op,
          input: request.input,
          by: ticket?.spend(),
          draw: draw ?? undefined,
          whileSuspended: ticket !== null && call.endpoint?.openToSuspended === true ? true : undefined,
          admittedOnly: ticket !== null && call.endpoint?.admittedOnly === true ? true : undefined,
          command: call.command === null || request.anew === true ? undefined : `${call.command}.${request.op}`,
          again: call.again ? true : undefined,
          deadline: request.deadline ?? call.deadline,
          trace: call.id,
          traceparent: span?.traceparent
        },
        span
      )
      if (span !== null) endAnswered(span, head)
      if (head.rate !== undefined) call.rate = head.rate
      if (head.refused?.code === "auth_nonce_reused") call.onReplay?.()
      if (head.refused !== undefined)
        return { ok: false, refusal: { ...head.refused, from: { by: head.by ?? "actor", asked: request.op } } }
      if (head.moved === undefined) return { ok: true, body }
      actor = head.moved.agent
      if (ticket !== null) ticket.home = actor
    }
    const lost = unavailable("The agent's home could not be found. It is safe to try again.")
    return { ok: false, refusal: { ...lost, from: { by: "bus", asked: request.op } } }
  }

  private effect(run: () => Promise<Outcome>): Effect.Effect<Uint8Array, Refused> {
    return Effect.callback<Uint8Array, Refused>((resume) => {
      run().then(
        (outcome) => resume(outcome.ok ? Effect.succeed(outcome.body) : Effect.fail(refuse(outcome.refusal))),
        (defect: unknown) => resume(Effect.die(defect))
      )
    })
  }
}

/** The compartment host that a query is for; `undefined` if any node may answer it. */
const hostIn = (input: unknown): string | undefined =>
  typeof input === "object" && input !== null && "host" in input && typeof input.host === "string"
    ? input.host
    : undefined

const settlingOp = ({ endpoint }: Call): SettlingOp =>
  endpoint?.signer === "candidate" || endpoint?.signer === "recovery" ? "agent.admit_key" : "agent.authenticate"

/** The beginning of a successful answer of a query (schemas/bus/operations.ts, QueryReply). */
const QUERY_GOOD = encoder.encode('{"ok":true,"data":')

const isGood = (answer: Uint8Array): boolean =>
  answer.length > QUERY_GOOD.length && QUERY_GOOD.every((byte, index) => answer[index] === byte)

const faultOf = (answer: Uint8Array | null): ErrorCode | undefined => {
  if (answer === null) return "unavailable"
  if (isGood(answer)) return undefined
  const reply = parse<QueryReply<unknown>>(answer)
  return reply.ok ? undefined : reply.refused.code
}

export const parse = <T>(bytes: Uint8Array): T => JSON.parse(utf8.decode(bytes)) as T
