/**
 * Durable timers: JetStream scheduled messages.
 *
 * Setting one publishes a message that the server keeps and, at its time, republishes on the fire subject. Any node
 * takes it from the durable consumer and turns it into a command to its actor, with an id made of the fired message's
 * sequence, and acknowledges when the command is answered. So a timer fires at least once and is applied once, and a
 * restart of everything loses none. A timer that fires for nothing (its commit failed) is the actor's to ignore.
 */
import { AckPolicy, jetstream, type JetStreamManager, type JsMsg } from "@nats-io/jetstream"
import { headers, type NatsConnection } from "@nats-io/transport-node"
import type { Ask } from "../../schemas/bus/frames.ts"
import { consumers, streams, subjects } from "../../schemas/subjects.ts"
import { endAnswered } from "../../schemas/trace/ask.ts"
import { TRACEPARENT } from "../../schemas/trace/traceparent.ts"
import { NO_TRACING, type Tracing } from "../../schemas/trace/tracing.ts"
import { requestStream } from "./renewal.ts"
import type { Answer } from "../../schemas/bus/asker.ts"
import type { Timers } from "./ports.ts"
import { timerSpan } from "./trace.ts"

const SET_TIMEOUT_MS = 3000
const COMMAND_DEADLINE_MS = 10_000
const REDELIVER_AFTER_MS = 30_000
const IN_FLIGHT_MAX = 200
/** One pull; the server's heartbeats come twice as often, so that the silence of one that was stopped is noticed soon. */
const PULL_MS = 2000

export class ScheduledTimers implements Timers {
  private readonly nats: NatsConnection
  /** Timers fired here since the start: answered by their actor, given back for later, of no known operation. */
  readonly counts = { answered: 0, later: 0, unknown: 0 }
  private readonly tracing: Tracing

  constructor(nats: NatsConnection, tracing: Tracing = NO_TRACING) {
    this.nats = nats
    this.tracing = tracing
  }

  async set(kind: string, id: string, name: string, at: number, traceparent?: string): Promise<void> {
    const more = headers()
    more.set("Nats-Schedule", `@at ${new Date(at).toISOString()}`)
    more.set("Nats-Schedule-Target", subjects.timerFire(kind, id, name))
    // The server passes on what it does not know.
    if (traceparent !== undefined) more.set(TRACEPARENT, traceparent)
    const reply = await requestStream(this.nats, subjects.timerSet(kind, id, name), undefined, { headers: more, timeout: SET_TIMEOUT_MS })
    const { error } = reply.json<{ error?: { description?: string } }>()
    if (error !== undefined) throw new Error(`The timer was not set: ${error.description ?? "unknown error"}`)
  }

  /** Runs until the connection closes. */
  async deliver(manager: JetStreamManager, ask: (ask: Ask) => Promise<Answer>, operationOf: (kind: string, name: string) => string | undefined): Promise<void> {
    await manager.consumers.add(streams.timers, {
      durable_name: consumers.timers,
      ack_policy: AckPolicy.Explicit,
      ack_wait: REDELIVER_AFTER_MS * 1_000_000,
      filter_subject: subjects.timerFires,
      max_ack_pending: IN_FLIGHT_MAX
    })
    const consumer = await jetstream(this.nats).consumers.get(streams.timers, consumers.timers)
    await consumer.consume({ max_messages: IN_FLIGHT_MAX, expires: PULL_MS, callback: (message) => void this.fire(message, ask, operationOf) })
  }

  private async fire(message: JsMsg, ask: (ask: Ask) => Promise<Answer>, operationOf: (kind: string, name: string) => string | undefined): Promise<void> {
    const [, , , kind = "", id = "", name = ""] = message.subject.split(".")
    const op = operationOf(kind, name)
    if (op === undefined) {
      this.counts.unknown++
      return message.term()
    }
    const span = timerSpan(this.tracing, op, message.headers)
    const answer = await ask({
      id: `timer-${message.seq}`,
      kind,
      actor: id,
      op,
      input: { name },
      deadline: Date.now() + COMMAND_DEADLINE_MS,
      traceparent: span?.traceparent
    })
    if (span !== null) endAnswered(span, answer.head)
    const refused = answer.head.refused?.code
    if (refused === "unavailable" || refused === "overloaded" || refused === "internal_error") {
      this.counts.later++
      message.nak(1000)
    } else {
      this.counts.answered++
      message.ack()
    }
  }
}
