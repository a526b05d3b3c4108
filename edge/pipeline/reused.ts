/**
 * Reuses public answers as long as the read models do not change.
 *
 * Invariants
 *  - An answer is reused only if the watermarks, read after the request came, equal the ones that were read before the
 *    answer was made. So no client sees less than the tables would have shown.
 *  - Some figures of a read model are counted only from time to time, so no answer older than `REUSED_MAX_MS` is
 *    reused. The service's home page is the exception: its slow parts may be older by `PARTS_KEPT_MS`
 *    (edge/meta/beginning-parts.ts).
 *  - Only answers to unsigned requests are reused, if they are complete bytes with status 200. An answer that lacks
 *    parts, because its client had too many queries under way, is not reused. Each format is a separate answer.
 *  - While an answer is being made, other requests for it wait. If it cannot be reused, each makes its own.
 *  - At most `KEPT_MAX_BYTES` are kept. The least recently used answer is dropped first.
 *  - If the watermarks cannot be read, the answer is made again, after a short wait at most (marks.ts).
 */
import { Effect } from "effect"
import { prefersMarkdown } from "../http/accept.ts"
import { ByteCache } from "../http/byte-cache.ts"
import type { Call } from "../http/call.ts"
import { entityTag, matchesTag } from "../http/documents.ts"
import { type Endpoint, isApiPath } from "../http/endpoints.ts"
import type { Route } from "../http/handlers.ts"
import type { Marks } from "./marks.ts"
import type { Refused } from "../http/refused.ts"
import { empty, type Response } from "../http/respond.ts"

export const REUSED_MAX_MS = 2000
const KEPT_MAX_BYTES = 64 * 1024 * 1024
const ANSWER_MAX_BYTES = 4 * 1024 * 1024
/** The rough size of an entry, without its body and its key. */
const ENTRY_BYTES = 1000

interface ReusedAnswer {
  readonly marks: string
  /** Monotonic ms. */
  readonly madeAt: number
  readonly body: Uint8Array
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: number
}

interface Making {
  readonly marks: string
  /** Resolves to `null` if the answer could not be kept. */
  readonly made: Promise<ReusedAnswer | null>
}

/** Counts the answers: `again` if a stored answer was given, `made` if a new one was made. */
export interface ReuseObserver {
  reused(outcome: "again" | "made"): void
}

export class Reused {
  private readonly marks: Pick<Marks, "current">
  private readonly observer: ReuseObserver
  private readonly now: () => number
  private readonly kept = new ByteCache<ReusedAnswer>(KEPT_MAX_BYTES, ({ bytes }) => bytes)
  private readonly making = new Map<string, Making>()

  constructor(marks: Pick<Marks, "current">, observer: ReuseObserver, now: () => number) {
    this.marks = marks
    this.observer = observer
    this.now = now
  }

  /** Returns all routes. Those of endpoints that declare `reused` may reuse their answers. */
  routes(endpoints: ReadonlyArray<Endpoint>, routes: ReadonlyMap<string, Route>): ReadonlyMap<string, Route> {
    const wanted = new Set(endpoints.filter(({ reused }) => reused).map(({ id }) => id))
    return new Map([...routes].map(([id, route]) => [id, wanted.has(id) ? this.route(id, route) : route]))
  }

  private route(id: string, route: Route): Route {
    return (call, params) => {
      const make = Effect.suspend(() => route(call, params))
      return mayBeGiven(call) ? this.answer(call, `${id} ${formOf(call)} ${call.target}`, make) : make
    }
  }

  private answer(call: Call, key: string, make: Effect.Effect<Response, Refused>): Effect.Effect<Response, Refused> {
    return Effect.gen({ self: this }, function* () {
      const marks = yield* Effect.promise(() => this.marks.current())
      if (marks === null) return yield* make
      const kept = this.known(key, marks) ?? (yield* this.awaited(key, marks))
      if (kept !== null) {
        this.observer.reused("again")
        return given(call, kept)
      }
      this.observer.reused("made")
      return yield* this.made(call, key, marks, make)
    })
  }

  private known(key: string, marks: string): ReusedAnswer | null {
    const kept = this.kept.get(key)
    if (kept === undefined) return null
    if (kept.marks === marks && this.now() - kept.madeAt <= REUSED_MAX_MS) return kept
    this.kept.delete(key)
    return null
  }

  private awaited(key: string, marks: string): Effect.Effect<ReusedAnswer | null> {
    const making = this.making.get(key)
    return making === undefined || making.marks !== marks ? Effect.succeed(null) : Effect.promise(() => making.made)
  }

  private made(
    call: Call,
    key: string,
    marks: string,
    make: Effect.Effect<Response, Refused>
  ): Effect.Effect<Response, Refused> {
    return Effect.suspend(() => {
      const { promise, resolve } = Promise.withResolvers<ReusedAnswer | null>()
      const mine: Making = { marks, made: promise }
      this.making.set(key, mine)
      const before = new Set(Object.keys(call.headers))
      const end = (kept: ReusedAnswer | null): void => {
        if (this.making.get(key) === mine) this.making.delete(key)
        if (kept !== null) this.kept.set(key, kept)
        resolve(kept)
      }
      const madeAt = this.now()
      return Effect.onExit(
        Effect.map(make, (answer) => {
          const kept = call.crowded ? null : keepable(answer, addedTo(call, before), { key, marks, madeAt })
          end(kept)
          return kept === null ? answer : given(call, kept)
        }),
        () => Effect.sync(() => end(null))
      )
    })
  }
}

/** True if the request has no signature, and no `If-Modified-Since`, which only the handler can compare. */
const mayBeGiven = (call: Call): boolean => call.ticket === null && call.header("if-modified-since") === undefined

const formOf = (call: Call): string => {
  if (prefersMarkdown(call, isApiPath(call.path) ? "application/json" : "text/html")) return "markdown"
  return call.wantsHtml ? "html" : "any"
}

const addedTo = ({ headers }: Call, before: ReadonlySet<string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !before.has(name)))

const keepable = (
  { status, body, headers }: Response,
  added: Readonly<Record<string, string>>,
  { key, marks, madeAt }: { readonly key: string; readonly marks: string; readonly madeAt: number }
): ReusedAnswer | null => {
  if (status !== 200 || body === null || (typeof body !== "string" && !(body instanceof Uint8Array))) return null
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  if (bytes.length > ANSWER_MAX_BYTES) return null
  return {
    marks,
    madeAt,
    body: bytes,
    etag: entityTag(bytes),
    headers: { ...headers, ...added },
    bytes: bytes.length + key.length + ENTRY_BYTES
  }
}

const given = (call: Call, { body, etag, headers }: ReusedAnswer): Response => {
  call.headers["etag"] = etag
  // Answers that may be cached have their own header.
  if (call.endpoint === null || call.endpoint.keptSeconds === 0) call.headers["cache-control"] ??= "no-cache"
  if (matchesTag(call.header("if-none-match"), etag)) {
    const { "content-length": _length, "content-type": _type, ...rest } = headers
    Object.assign(call.headers, rest)
    return empty(304)
  }
  return { status: 200, headers: { ...headers }, body }
}
