/**
 * Queries of the read models. Without Postgres they answer `unavailable` (503 at the edge) within
 * `service.query_timeout_ms`.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import type { Kysely, Transaction } from "kysely"
import { headers, type Msg, type NatsConnection, type Subscription } from "@nats-io/transport-node"
import { type Clock, Effect, type Scope } from "effect"
import { after, type Cancel, every, monotonicMs, wallMs } from "../../schemas/runtime/clock.ts"
import { secondsSince } from "../../schemas/runtime/metrics/calls.ts"
import {
  CLIENT_HEADER,
  DEADLINE_HEADER,
  PART_HEADER,
  PART_MAX_BYTES,
  partHeader,
  PARTS_MAX,
  splitParts,
  TAKEN_HEADER
} from "../../schemas/runtime/bus/parts.ts"
import type { Queries, QueryName, QueryReply } from "../../schemas/bus/operations.ts"
import type { HubConfig } from "../../schemas/config.ts"
import { type ErrorCode, type Refusal, unavailable } from "../../schemas/errors.ts"
import type { NotifiedMail } from "../../schemas/mail/operations.ts"
import type { PersonRecord } from "../../schemas/sponsorship/operations.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { queueGroups, subjects } from "../../schemas/subjects.ts"
import { endAs } from "../../schemas/runtime/trace/ask.ts"
import type { Span } from "../../schemas/runtime/trace/span.ts"
import type { Tracing } from "../../schemas/runtime/trace/tracing.ts"
import type { Database } from "../tables/database.ts"
import { queryAnswerSpan } from "../engine/trace.ts"
import { QueryRefused } from "./refused.ts"

/** The time after which the asker is informed that its query runs, so that it does not try another node. */
const TAKEN_AFTER_MS = 150
/** Shorter than the time that the asker then gives this node (`TAKEN_WAIT_MS`, schemas/runtime/bus/queries.ts). */
const TAKEN_AGAIN_MS = 1500
/** The maximum number of queries under way on one node. Further ones are refused before they reach Postgres. */
const UNDER_WAY_MAX = 500

export interface AskedUntil {
  /** Unix ms: the asker gives up then, or is told that the query took too long. */
  readonly deadline: number
  /** The deadline as the asker sent it, the same for each try of one query. `null` if it sent none. */
  readonly until: number | null
}

/** The client that a task counts for, and the time until which it waits. */
export interface Asker {
  /** The account or network that the query counts for; empty if the service itself asks. */
  readonly client: string
  /**
   * Unix ms by the clock of this node, which answers then at the latest. The asker's own deadline is by another clock.
   */
  readonly answeredBy: number
}

export interface Asked extends AskedUntil, Asker {}

export type QueryHandlers = {
  readonly [Name in QueryName]: (input: Queries[Name]["input"], asked: Asked) => Promise<Queries[Name]["output"]>
}

/** Finds the people among these ids that have an account. */
export type People = (ids: ReadonlyArray<string>) => Promise<ReadonlyMap<string, PersonRecord>>

/** Finds the messages of owners that can be opened. */
export type WordsOf = (messages: ReadonlyArray<number>) => Promise<ReadonlyMap<number, string>>

/** Finds the mails that can be opened. */
export type MailsOf = (mails: ReadonlyArray<number>) => Promise<ReadonlyMap<number, NotifiedMail>>

/** Runs searches within their own limits (content/searching.ts). Fails with `QueryRefused` if there are too many. */
export interface Searches {
  readonly run: <A>(search: (trx: Transaction<Database>) => Promise<A>, withinMs?: number) => Promise<A>
}

export interface Answering {
  readonly clock: Clock.Clock
  /** Takes turns among clients (kit/reads.ts). */
  readonly db: Kysely<Database>
  /** Has transactions, and no turns. */
  readonly tables: Kysely<Database>
  readonly people: People
  readonly words: WordsOf
  readonly mails: MailsOf
  readonly searches: Searches
  readonly config: Pick<HubConfig, "baseUrl" | "limits">
}

/** Called for every view that is served, and for every query after its answer. */
export interface QueryObserver {
  underWay: number
  readonly serves: (view: string) => void
  readonly settled: (view: string, refused: ErrorCode | undefined, seconds: number) => void
}

export interface Serving {
  /** The name of this host, for queries that only this host answers. */
  readonly host?: string
  /**
   * True if the role may publish only as a response to a request (`allow_responses`). The server tracks that per
   * connection. After a reconnect it would refuse the answer, and the asker asks again.
   */
  readonly onlyResponds?: true
  /**
   * True if these queries change something. One that arrives after its deadline is then not begun, because its asker
   * was told that it failed: this process or its connection was frozen meanwhile. A late query that only reads is
   * harmless, so the clocks of other hosts need not agree with this one.
   */
  readonly changes?: true
  readonly timeoutMs?: number
}

const renewalsOf = (nats: NatsConnection): (() => number) => {
  let count = 0
  const watch = async (): Promise<void> => {
    for await (const { type } of nats.status()) if (type === "reconnect") count++
  }
  void watch()
  return () => count
}

const NEVER = (): number => 0

/** The refusal of a query that took too long, or waited too long for its turn. */
export const TOOK_TOO_LONG: Refusal = {
  code: "overloaded",
  message: "The query took too long. Ask for less, as by rarer words in a search, or try again in a little while.",
  retryAfter: 5
}

const askers = new AsyncLocalStorage<Asker>()

/** The asker of the query that this code runs for; none outside of queries. */
export const currentAsker = (): Asker | undefined => askers.getStore()

/** Runs the work for this asker. */
export const askedBy = <A>(asker: Asker, work: () => A): A => askers.run(asker, work)

/** Serves for as long as the scope is open. Queries under way when it closes are answered first, within `timeoutMs`. */
export const serveQueries = (
  clock: Clock.Clock,
  nats: NatsConnection,
  handlers: Partial<QueryHandlers>,
  observer: QueryObserver,
  tracing: Tracing,
  { host, onlyResponds, changes, timeoutMs = LIMITS.service.query_timeout_ms }: Serving = {}
): Effect.Effect<void, never, Scope.Scope> => {
  const renewals = onlyResponds === true ? renewalsOf(nats) : NEVER
  const underWay = new Set<Promise<void>>()
  const receive = (name: string, handler: Handler, message: Msg): void => {
    const now = wallMs(clock)
    const deadline = deadlineOf(message)
    if (changes === true && deadline <= now) {
      // No answer: a late one would reach nobody. The line helps if the clocks of two hosts differ.
      logNow("warn", "query", { view: name, late_ms: now - deadline })
      observer.settled(name, "unavailable", 0)
      return
    }
    if (observer.underWay >= UNDER_WAY_MAX) {
      observer.settled(name, "overloaded", 0)
      respond(message, {
        ok: false,
        refused: { code: "overloaded", message: "Too many queries are under way.", retryAfter: 1 }
      })
      return
    }
    observer.underWay++
    const [began, connection] = [monotonicMs(clock), renewals()]
    const isHeard = (): boolean => renewals() === connection && !nats.isClosed()
    const client = message.headers?.get(CLIENT_HEADER) ?? ""
    const span = queryAnswerSpan(tracing, name, message.headers)
    // Edges of an older release would take the notice for the answer.
    const understood = message.headers?.has(TAKEN_HEADER) === true
    const tell = (): void => void (isHeard() && tellTaken(message))
    const taken: Array<Cancel> = []
    // A query may wait for its turn for longer than the asker waits for this node. Asked again, it would wait twice.
    // Nothing waits for turns where only some responses are allowed.
    const tellAgain = (): void => {
      tell()
      if (onlyResponds !== true) taken.push(every(clock, TAKEN_AGAIN_MS, tell))
    }
    if (understood) taken.push(after(clock, TAKEN_AFTER_MS, tellAgain))
    const answered = answer(clock, name, handler, message, {
      span,
      timeoutMs,
      deadline: Math.min(deadline, now + timeoutMs),
      until: Number.isFinite(deadline) ? deadline : null,
      answeredBy: now + timeoutMs,
      client
    }).then((reply) => {
      for (const cancel of taken) cancel()
      observer.underWay--
      observer.settled(name, reply.ok ? undefined : reply.refused.code, secondsSince(clock, began))
      if (span !== null) endAs(span, reply.ok ? "ok" : reply.refused.code)
      if (isHeard()) respond(message, reply)
      underWay.delete(answered)
    })
    underWay.add(answered)
  }
  const serve = ([name, handler]: [string, Handler]): Subscription => {
    observer.serves(name)
    return nats.subscribe(subjects.query(name, host), {
      queue: queueGroups.queries,
      callback: (error, message) => {
        if (error === null) receive(name, handler, message)
      }
    })
  }
  return Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => Object.entries(handlers as Record<string, Handler>).map(serve)),
      (subscriptions) =>
        Effect.promise(async () => {
          await Promise.allSettled(subscriptions.map((subscription) => subscription.drain()))
          await Promise.allSettled(underWay)
        })
    )
  )
}

type Handler = (input: never, asked: Asked) => Promise<unknown>

/** Askers of older releases send no deadline. */
const deadlineOf = ({ headers: sent }: Msg): number => {
  const deadline = Number(sent?.get(DEADLINE_HEADER))
  return deadline > 0 ? deadline : Number.POSITIVE_INFINITY
}

const tellTaken = (message: Msg): void => {
  const more = headers()
  more.set(TAKEN_HEADER, "1")
  try {
    message.respond(undefined, { headers: more })
  } catch {
    // The connection is closing. The asker tries another node.
  }
}

const utf8 = new TextEncoder()

const respond = (message: Msg, reply: QueryReply<unknown>): void => {
  const bytes = utf8.encode(JSON.stringify(reply))
  if (bytes.length <= PART_MAX_BYTES) {
    message.respond(bytes)
    return
  }
  const parts = splitParts(bytes)
  if (parts.length > PARTS_MAX) {
    return respond(message, { ok: false, refused: { code: "internal_error", message: "The answer is too large." } })
  }
  parts.forEach((part, index) => {
    const more = headers()
    more.set(PART_HEADER, partHeader(index, parts.length))
    message.respond(part, { headers: more })
  })
}

const answer = async (
  clock: Clock.Clock,
  name: string,
  handler: Handler,
  message: Msg,
  { span, timeoutMs, ...asked }: Asked & { readonly span: Span | null; readonly timeoutMs: number }
): Promise<QueryReply<unknown>> => {
  let cancel: Cancel | undefined
  try {
    const late = new Promise<never>((_, reject) => {
      const failure = asked.client === "" ? new Error("the query took too long") : new QueryRefused(TOOK_TOO_LONG)
      cancel = after(clock, timeoutMs, () => reject(failure))
    })
    const found = askedBy(asked, () => handler(message.json<never>(), asked))
    return { ok: true, data: await Promise.race([found, late]) }
  } catch (error) {
    if (error instanceof QueryRefused) return { ok: false, refused: error.refusal }
    logNow("warn", "query", { view: name, error, span })
    return { ok: false, refused: unavailable("The read models do not answer at the moment.") }
  } finally {
    cancel?.()
  }
}
