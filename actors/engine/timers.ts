/**
 * Durable timers: JetStream scheduled messages.
 *
 * To set a timer, a node publishes a message. The server keeps it, and republishes it on the fire subject when its time
 * comes. Any node may take it from the durable consumer. That node turns it into a command to its actor, with an id
 * made of the fired message's sequence, and acknowledges it when the command is answered.
 *
 * Invariants
 *  - A timer fires at least once and is applied once; a restart of everything loses none.
 *  - The subject of a timer ends in the time that it is set for. So a timer for another time, perhaps of a commit that
 *    failed, never replaces it. An actor compares that time with its state (`isDue`) and ignores a timer that it does
 *    not wait for.
 *  - The node sends a timer to the actor's owner under a general name, and the owner chooses the operation (FIRE). So
 *    only a release that knows the timer answers it, though another one may know the operation.
 *  - A timer is set before its commit, and may fire while the commit is still under way, perhaps to a new owner that
 *    does not know of it. A timer that is due so soon fires a second time, when the commit is either written or never
 *    will be.
 *  - A timer that cannot be answered at the moment (no owner knows the kind, an actor is unavailable) is set again for
 *    later, under the same id. It waits in the schedule and delays no other timer.
 *  - If a node stops while it handles a timer, another node gets the timer and asks under the same id. It gets the
 *    timer immediately, or after REDELIVER_AFTER_MS if the node was killed.
 *  - Fired timers are kept for FIRED_KEPT_SECONDS at most. They are lost if the server runs for so long without any
 *    actor node.
 */
import { AckPolicy, type ConsumerMessages, jetstream, type JetStreamManager, type JsMsg } from "@nats-io/jetstream"
import { headers, type NatsConnection } from "@nats-io/transport-node"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { Clock, Effect, FiberSet, type Scope } from "effect"
import type { FiredTimer } from "../../schemas/timer.ts"
import type { Ask } from "../../schemas/bus/frames.ts"
import { consumers, streams, subjects } from "../../schemas/subjects.ts"
import { endAnswered } from "../../schemas/runtime/trace/ask.ts"
import { TRACEPARENT } from "../../schemas/runtime/trace/traceparent.ts"
import { NO_TRACING, type Tracing } from "../../schemas/runtime/trace/tracing.ts"
import { TIMER_COMMAND } from "./command-ids.ts"
import { wholeMs } from "./definition.ts"
import { attempt } from "../log/attempt.ts"
import { requestStream } from "../log/requests.ts"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import type { TimerMore, Timers } from "./ports.ts"
import { timerSpan } from "./trace.ts"

const SET_TIMEOUT_MS = 3000
/** An operation of every kind. The actor's owner replaces it by its own for the timer. Input: `FiredTimer`. */
export const FIRE = "engine.timer"
/** The first delay of a timer that cannot be answered. It doubles each time, up to `LATER_MAX_MS`. */
const LATER_MS = 500
const LATER_MAX_MS = 10_000
const FIRED_KEPT_SECONDS = 2_592_000
/**
 * Our own headers. A timer that was put off has the id of its command, and how often it was put off. A timer that fires
 * twice has the second time (Unix ms).
 */
const COMMAND_HEADER = "Hub-Timer-Command"
const PUT_OFF_HEADER = "Hub-Timer-Put-Off"
const AGAIN_HEADER = "Hub-Timer-Again"
const COMMAND_DEADLINE_MS = 10_000
/** The deadline for a timer that perhaps no node knows, so that it does not occupy a place for long. */
const STRANGE_DEADLINE_MS = 2000
const REDELIVER_AFTER_MS = 30_000
const IN_FLIGHT_MAX = 200
/** The most unknown timers, by kind and name, that are logged. */
const TOLD_MAX = 100
/**
 * The duration of one pull. The server's heartbeats come twice as often, so that the end of a server is noticed soon.
 */
const PULL_MS = 2000

export class ScheduledTimers implements Timers {
  private readonly nats: NatsConnection
  /**
   * Timers that fired here since the start. `answered`: by their actor. `later`: set again. `unknown`: not known to
   * this release, and counted as `answered` or `later` too.
   */
  readonly counts = { answered: 0, later: 0, unknown: 0 }
  private readonly tracing: Tracing
  private readonly told = new Set<string>()

  constructor(nats: NatsConnection, tracing: Tracing = NO_TRACING) {
    this.nats = nats
    this.tracing = tracing
  }

  set(kind: string, id: string, name: string, at: number, { traceparent, again }: TimerMore = {}): Promise<void> {
    const due = wholeMs(at)
    return this.schedule({ kind, id, name, due: String(due) }, due, [
      ...(traceparent === undefined ? [] : [[TRACEPARENT, traceparent] as const]),
      ...(again === undefined ? [] : [[AGAIN_HEADER, String(wholeMs(again))] as const])
    ])
  }

  /** `passedOn`: headers that the fired timer has too, because the server passes unknown headers on. */
  private async schedule(
    { kind, id, name, due }: Fired,
    at: number,
    passedOn: ReadonlyArray<readonly [string, string]>
  ): Promise<void> {
    const more = headers()
    more.set("Nats-Schedule", `@at ${new Date(at).toISOString()}`)
    more.set("Nats-Schedule-Target", subjects.timerFire(kind, id, name, due))
    more.set("Nats-Schedule-TTL", `${FIRED_KEPT_SECONDS}s`)
    for (const [header, value] of passedOn) more.set(header, value)
    const reply = await requestStream(this.nats, subjects.timerSet(kind, id, name, due), undefined, {
      headers: more,
      timeout: SET_TIMEOUT_MS
    })
    const { error } = reply.json<{ error?: { description?: string } }>()
    if (error !== undefined) throw new Error(`The timer was not set: ${error.description ?? "unknown error"}`)
  }

  /**
   * Delivers timers for as long as the scope is open. Timers that are under way at the end go to another node
   * immediately.
   */
  deliver(
    manager: JetStreamManager,
    ask: (ask: Ask) => Promise<Answer>,
    operationOf: (kind: string, name: string) => string | undefined
  ): Effect.Effect<void, unknown, Scope.Scope> {
    const consuming = async (receive: (message: JsMsg) => void): Promise<ConsumerMessages> => {
      await manager.consumers.add(streams.timers, {
        durable_name: consumers.timers,
        ack_policy: AckPolicy.Explicit,
        ack_wait: REDELIVER_AFTER_MS * 1_000_000,
        filter_subject: subjects.timerFires,
        max_ack_pending: IN_FLIGHT_MAX
      })
      const consumer = await jetstream(this.nats).consumers.get(streams.timers, consumers.timers)
      return consumer.consume({ max_messages: IN_FLIGHT_MAX, expires: PULL_MS, callback: receive })
    }
    return Effect.gen({ self: this }, function* () {
      const run = yield* FiberSet.makeRuntime<never, void, never>()
      const receive = (message: JsMsg): void => {
        const leaving = Effect.sync(() => message.nak())
        const fired = Effect.suspend(() => this.fire(message, ask, operationOf))
        run(Effect.onInterrupt(fired, () => leaving))
      }
      yield* Effect.acquireRelease(
        attempt(() => consuming(receive)),
        (messages) => Effect.sync(() => messages.stop())
      )
    })
  }

  private fire(
    message: JsMsg,
    ask: (ask: Ask) => Promise<Answer>,
    operationOf: (kind: string, name: string) => string | undefined
  ): Effect.Effect<void> {
    const [, , , kind = "", id = "", name = "", due = UNDATED] = message.subject.split(".")
    const timer: Fired = { kind, id, name, due }
    const known = operationOf(kind, name)
    if (known === undefined) this.unknown(kind, name)
    const span = timerSpan(this.tracing, known ?? FIRE, message.headers)
    const asked = Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.promise(() =>
        ask({
          id: commandOf(message),
          kind,
          actor: id,
          op: FIRE,
          input: firedOf(timer),
          deadline: now + (known === undefined ? STRANGE_DEADLINE_MS : COMMAND_DEADLINE_MS),
          traceparent: span?.traceparent
        })
      )
    )
    return Effect.flatMap(asked, ({ head }) => {
      if (span !== null) endAnswered(span, head)
      const refused = head.refused?.code
      // `not_found`: the owner runs an older release, which does not know the operation.
      const isLater =
        refused === "unavailable" ||
        refused === "overloaded" ||
        refused === "internal_error" ||
        (known === undefined && refused === "not_found")
      if (isLater) {
        this.counts.later++
        return this.putOff(message, timer)
      }
      this.counts.answered++
      const again = Number(message.headers?.get(AGAIN_HEADER) ?? "") || 0
      return again === 0 ? Effect.sync(() => message.ack()) : this.setAgain(message, timer, again)
    })
  }

  /** Sets the timer again as a new command, in addition to the one that is answered. */
  private setAgain(message: JsMsg, timer: Fired, at: number): Effect.Effect<void> {
    return Effect.match(
      Effect.tryPromise(() => this.schedule(timer, at, tracedBy(message))),
      { onSuccess: () => message.ack(), onFailure: () => message.nak(LATER_MS) }
    )
  }

  /** Sets the timer again, then acknowledges the fired one. If that fails, the server delivers it again. */
  private putOff(message: JsMsg, timer: Fired): Effect.Effect<void> {
    const times = Number(message.headers?.get(PUT_OFF_HEADER) ?? "") || 0
    const wait = Math.min(LATER_MS * 2 ** times, LATER_MAX_MS)
    const again = message.headers?.get(AGAIN_HEADER) ?? ""
    const passedOn = [
      [COMMAND_HEADER, commandOf(message)],
      [PUT_OFF_HEADER, String(times + 1)],
      ...(again === "" ? [] : [[AGAIN_HEADER, again] as const]),
      ...tracedBy(message)
    ] as const
    return Effect.match(
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.tryPromise(() => this.schedule(timer, now + wait, passedOn))
      ),
      { onSuccess: () => message.ack(), onFailure: () => message.nak(wait) }
    )
  }

  private unknown(kind: string, name: string): void {
    this.counts.unknown++
    if (this.told.size >= TOLD_MAX || this.told.has(`${kind}.${name}`)) return
    this.told.add(`${kind}.${name}`)
    const error = "this release does not know the timer: it is left to its actor's owner"
    logNow("warn", "timers", { kind, name, error })
  }
}

interface Fired {
  readonly kind: string
  readonly id: string
  readonly name: string
  /** Unix ms, as in the timer's subject, or `UNDATED`. */
  readonly due: string
}

/** Stands for the time of a timer that an older release has set without one. */
const UNDATED = "undated"

const firedOf = ({ name, due }: Fired): FiredTimer => (due === UNDATED ? { name } : { name, at: Number(due) })

const tracedBy = (message: JsMsg): ReadonlyArray<readonly [string, string]> => {
  const traceparent = message.headers?.get(TRACEPARENT) ?? ""
  return traceparent === "" ? [] : [[TRACEPARENT, traceparent]]
}

const commandOf = (message: JsMsg): string => {
  const before = message.headers?.get(COMMAND_HEADER) ?? ""
  return before === "" ? TIMER_COMMAND + String(message.seq) : before
}
