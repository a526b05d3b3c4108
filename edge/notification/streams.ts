/**
 * `GET /me/notifications/stream`: server-sent events, until the client or the service ends them.
 *
 * Invariants
 *  - A stream reads the read model `notifications` in ascending order after the reader's last id. No smaller id of an
 *    agent ever appears after a greater one. Each write takes the next number, and an agent has one write at a time. If
 *    a write of another node came first, the log refuses the later one, which then takes a new number
 *    (actors/engine/activation.ts). Rows are made in the order of the log. So "greater than the last" loses nothing and
 *    repeats nothing, whichever edge goes on from the same `Last-Event-ID`.
 *  - If the first read fails, the request is refused. A later read that fails is repeated from the same id.
 *  - The signer's right to read is checked again every `judge_ms`, at once when the account changed, and after each
 *    notification of such a change, before a further notification is sent. If it cannot be checked for
 *    `judge_overdue_ms`, the stream ends.
 *  - The reader sets the pace: a page is read when the one before is taken, so no more than a page is held for it. A
 *    reader that takes nothing for two heartbeats is dropped.
 *  - Every stream ends: by its lifetime, by the agent's newer streams, or by the edge's end. The client then connects
 *    again.
 */
import { Readable } from "node:stream"
import { Effect, Result } from "effect"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { headOf, type Response, streamed } from "../http/respond.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { EVENT_STREAM_TYPE } from "./event-stream.ts"
import { Seats } from "./seats.ts"
import { StreamText } from "./stream-text.ts"
import { Waking } from "./waking.ts"
import type { Watch } from "./watch.ts"
import { after, wallMs } from "../../schemas/runtime/clock.ts"

const overloaded: Refusal = { code: "overloaded", message: "Too many streams are open here.", retryAfter: 2 }

/** Time after a stream's lifetime for work under way. */
const LATE_MS = 5000

export class Streams {
  private readonly bus: Bus
  private readonly watch: Watch
  private readonly limits: Limits
  private readonly seats: Seats<Waking>
  private closing = false

  constructor(bus: Bus, watch: Watch, limits: Limits) {
    this.bus = bus
    this.watch = watch
    this.limits = limits
    this.seats = new Seats(limits.notifications.streams_max, limits.notifications.streams_per_agent_max)
  }

  get held(): number {
    return this.seats.taking
  }

  /** `from` is the last id that the reader has; `null` to begin with the oldest unread notification. */
  open(call: Call, agent: string, from: number | null): Effect.Effect<Response, Refused> {
    if (this.closing || this.seats.full) return Effect.fail(refuse(overloaded))
    // The connection ends with its stream, so that a client that connects again may reach another edge. Proxies that
    // collect answers would hold each event back.
    Object.assign(call.headers, { connection: "close", "x-accel-buffering": "no" })
    if (call.method === "HEAD") return Effect.succeed(headOf(EVENT_STREAM_TYPE))
    const waking = new Waking(call.clock)
    // This comes before the first read, so that no notification is missed between the two.
    this.sit(agent, waking)
    const input = { agent, since_id: from, limit: this.limits.notifications.stream_page_max }
    return Effect.onExit(
      Effect.map(this.bus.query(call, "notifications_after", input), (first) =>
        this.response(call, agent, waking, first)
      ),
      (exit) => Effect.sync(() => exit._tag === "Failure" && this.leave(agent, waking))
    )
  }

  /** Ends all streams, so that their readers connect again. */
  close(): void {
    this.closing = true
    for (const waking of this.seats.all()) waking.end()
  }

  private sit(agent: string, waking: Waking): void {
    const oldest = this.seats.oldest(agent)
    // The oldest stream's place is free at once, so that each of many simultaneous requests ends another stream.
    if (oldest !== null) this.leave(agent, oldest)
    this.seats.take(agent, waking)
    this.watch.join(agent, waking)
  }

  private leave(agent: string, waking: Waking): void {
    waking.end()
    this.watch.leave(agent, waking)
    this.seats.leave(agent, waking)
  }

  private response(
    call: Call,
    agent: string,
    waking: Waking,
    first: Queries["notifications_after"]["output"]
  ): Response {
    const { notifications, service } = this.limits
    const read = async (since_id: number) => {
      const within = { deadline: wallMs(call.clock) + service.request_deadline_ms, call }
      const found = await Effect.runPromise(
        Effect.result(
          this.bus.query(within, "notifications_after", { agent, since_id, limit: notifications.stream_page_max })
        )
      )
      return Result.isSuccess(found) ? found.success.items : null
    }
    const { socket } = call.request
    const letGo = (): void => void socket.destroy()
    const text = new StreamText({ bus: this.bus, call, waking, read, letGo, limits: this.limits }, first)
    const stream = Readable.from(text.chunks(), { objectMode: false, highWaterMark: 1 })
    // A stream may be silent for longer than other answers. stream-text.ts disconnects a client that reads nothing.
    socket.setTimeout(0)
    const cancel = after(call.clock, notifications.stream_lifetime_ms + LATE_MS, letGo)
    // Without this, the stream of a client that has gone would end only with its next event, up to a heartbeat later.
    const leave = (): void => this.leave(agent, waking)
    socket.once("close", leave)
    stream.once("close", () => {
      cancel()
      socket.off("close", leave)
      leave()
    })
    return streamed(stream, EVENT_STREAM_TYPE)
  }
}
