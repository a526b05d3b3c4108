/**
 * A compartment's output, which its host provides. A request is answered at once, held until there is output, or
 * streamed.
 *
 * Invariants
 *  - A host is asked for a few seconds at a time. Before each time the edge looks up the compartment's host again, and
 *    checks that the caller may still read it.
 *  - A late answer of a host is sent only if the signing key is still its agent's current one and the account may read.
 *    This is checked again, at most once a second. If it cannot be checked, nothing is sent.
 *  - The numbers of held and streamed requests are limited, in all and for one agent. The reader sets the pace of a
 *    stream: a page is requested when the one before has been read.
 */
import { Readable } from "node:stream"
import { Effect, Result } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Asker } from "../../schemas/compartment/operations.ts"
import type { LogLine, LogStream } from "../../schemas/compartment/records.ts"
import { type Refusal, refusal, unavailable } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { headOf, type Response, streamed } from "../http/respond.ts"
import { commentOf, EVENT_STREAM_TYPE, retryOf, rightOf, Seats } from "../notification/index.ts"
import type { Compartments } from "./compartments.ts"
import { after, wallMs, monotonicMs } from "../../schemas/runtime/clock.ts"

export interface LogsWanted {
  readonly sinceId: number | null
  readonly limit: number
  readonly stream: LogStream | null
  readonly q: string | null
}

const overloaded: Refusal = { code: "overloaded", message: "Too many read logs here. Try again.", retryAfter: 2 }
/** The part of a query's time limit in which the host does not wait for output. */
const ASK_MARGIN_MS = 1500
const PAGE_LINES = 500
/** The shortest time between two checks of a stream's right to read. */
const JUDGE_MS = 1000
const nobodyTells = unavailable("The agent's home did not answer. It is safe to try again.")

const away = (refused: Refused): Refused =>
  refused.refusal.code === "unavailable"
    ? refuse(refusal("runtime_unavailable", "The compartment's host does not answer.", { reason: "its host is away" }))
    : refused

type Found = Queries["host_logs"]["output"]
type Lines = Found["lines"]

export class Logs {
  readonly #bus: Bus
  readonly #compartments: Compartments
  readonly #limits: Limits
  readonly #waits: Seats<object>
  readonly #streams: Seats<object>

  constructor(bus: Bus, compartments: Compartments, limits: Limits) {
    const { log_waits_max, log_waits_per_agent_max, log_streams_max, log_streams_per_agent_max } =
      limits.service.runtime
    this.#bus = bus
    this.#compartments = compartments
    this.#limits = limits
    this.#waits = new Seats(log_waits_max, log_waits_per_agent_max)
    this.#streams = new Seats(log_streams_max, log_streams_per_agent_max)
  }

  /**
   * Lists lines. Returns only existing lines if `waitMs` is 0, if no place to wait is free, or if the agent already
   * waits.
   */
  list(call: Call, id: string, by: Asker, wanted: LogsWanted, waitMs: number): Effect.Effect<Found, Refused> {
    const agent = agentIn(by)
    if (waitMs <= 0 || this.#waits.full || this.#waits.oldest(agent) !== null)
      return this.#once(call, id, by, wanted, 0)
    const seat = {}
    return Effect.acquireUseRelease(
      Effect.sync(() => this.#waits.take(agent, seat)),
      () => this.#held(call, id, by, wanted, monotonicMs(call.clock) + waitMs),
      () => Effect.sync(() => this.#waits.leave(agent, seat))
    )
  }

  #held(call: Call, id: string, by: Asker, wanted: LogsWanted, until: number): Effect.Effect<Found, Refused> {
    return Effect.gen({ self: this }, function* () {
      for (;;) {
        const left = until - monotonicMs(call.clock)
        call.deadline = wallMs(call.clock) + this.#limits.service.request_deadline_ms
        const found = yield* this.#once(call, id, by, wanted, Math.max(0, left))
        yield* this.#judged(call)
        if (found.lines.length > 0 || left <= 0 || call.request.socket.destroyed) return found
      }
    })
  }

  #judged(call: Call): Effect.Effect<void, Refused> {
    const { request_deadline_ms } = this.#limits.service
    return Effect.flatMap(
      Effect.promise(() => rightOf(this.#bus, call, request_deadline_ms)),
      (right) => {
        if (right === "good") return Effect.void
        return Effect.fail(refuse(right === "unknown" ? nobodyTells : right.refused))
      }
    )
  }

  #once(call: Call, id: string, by: Asker, wanted: LogsWanted, waitMs: number): Effect.Effect<Found, Refused> {
    const most = this.#limits.service.runtime.host_answer_ms
    const wait_ms = Math.round(Math.max(0, Math.min(waitMs, most - ASK_MARGIN_MS)))
    return Effect.gen({ self: this }, function* () {
      const { host } = yield* this.#compartments.look(call, id, by)
      const { sinceId: since_id, ...rest } = wanted
      const input = { host, compartment: id, since_id, wait_ms, ...rest }
      return yield* Effect.mapError(this.#bus.query(call, "host_logs", input, most), away)
    })
  }

  /** `from` is the last id that the reader has; `null` to begin with the oldest stored line. */
  stream(call: Call, id: string, by: Asker, from: number | null): Effect.Effect<Response, Refused> {
    const agent = agentIn(by)
    if (this.#streams.full || this.#streams.oldest(agent) !== null) return Effect.fail(refuse(overloaded))
    // The place is taken before anything is asked, so that each of many simultaneous requests counts the earlier ones.
    const seat = {}
    this.#streams.take(agent, seat)
    const leave = (): void => this.#streams.leave(agent, seat)
    const opened = Effect.gen({ self: this }, function* () {
      const { lines: first } = yield* this.#once(call, id, by, pageFrom(from ?? 0), 0)
      Object.assign(call.headers, { connection: "close", "x-accel-buffering": "no" })
      if (call.method === "HEAD") {
        leave()
        return headOf(EVENT_STREAM_TYPE)
      }
      const text = this.#text(call, id, by, from ?? 0, first)
      const body = Readable.from(text, { objectMode: false, highWaterMark: 1 })
      const { socket } = call.request
      const { log_stream_ms } = this.#limits.service.runtime
      const cancel = after(call.clock, log_stream_ms * 1.1, () => socket.destroy())
      body.once("close", () => {
        cancel()
        leave()
      })
      socket.once("close", () => body.destroy())
      return streamed(body, EVENT_STREAM_TYPE)
    })
    return Effect.onExit(opened, (exit) => Effect.sync(() => exit._tag === "Failure" && leave()))
  }

  async *#text(call: Call, id: string, by: Asker, from: number, first: Lines): AsyncGenerator<Buffer> {
    const { log_stream_ms, host_answer_ms } = this.#limits.service.runtime
    const until = monotonicMs(call.clock) + log_stream_ms
    let judgedAt = monotonicMs(call.clock)
    let [cursor, lines]: [number, Lines] = [from, first]
    yield Buffer.from(retryOf(this.#limits.notifications.stream_retry_ms))
    while (monotonicMs(call.clock) < until && !call.request.socket.destroyed) {
      if (lines.length > 0) yield Buffer.from(lines.map(eventOf).join(""))
      else yield Buffer.from(commentOf("alive"))
      cursor = lines.at(-1)?.id ?? cursor
      call.deadline = wallMs(call.clock) + this.#limits.service.request_deadline_ms
      const next = await Effect.runPromise(Effect.result(this.#once(call, id, by, pageFrom(cursor), host_answer_ms)))
      if (Result.isFailure(next)) return yield Buffer.from(commentOf("come again"))
      if (monotonicMs(call.clock) - judgedAt >= JUDGE_MS) {
        judgedAt = monotonicMs(call.clock)
        const judged = await Effect.runPromise(Effect.result(this.#judged(call)))
        if (Result.isFailure(judged)) return yield Buffer.from(commentOf(judged.failure.refusal.code))
      }
      lines = next.success.lines
    }
    yield Buffer.from(commentOf("come again"))
  }
}

const pageFrom = (sinceId: number): LogsWanted => ({ sinceId, limit: PAGE_LINES, stream: null, q: null })

const agentIn = (by: Asker): string => (by.type === "agent" ? by.agent : by.type === "human" ? by.human : "operator")

/** The data is one line, because JSON.stringify writes no line breaks. */
const eventOf = (line: LogLine): string => `id: ${line.id}\nevent: line\ndata: ${JSON.stringify(line)}\n\n`
