/**
 * One node on the bus. It takes frames of asks, has the actors judge and carry them out, and sends the answers back in
 * frames. If it does not own the actor, or its release does not know the operation, it sends the asker elsewhere. If it
 * cannot carry out an ask, it refuses it. If it has lost its lease meanwhile, it sends the asker elsewhere too, because
 * an old answer would be wrong.
 */
import { type Clock, Schema } from "effect"
import { wallMs, monotonicMs } from "../../schemas/runtime/clock.ts"
import { secondsSince } from "../../schemas/runtime/metrics/calls.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { FiredTimer } from "../../schemas/timer.ts"
import { type BusMessage, type BusTransport, FLUSH_GAP_MS } from "../../schemas/runtime/bus/asker.ts"
import {
  type Ask,
  encodeHead,
  inFrames,
  type PackedReply,
  packReplies,
  type RateState,
  replyBytes,
  type ReplyHead,
  unpackAsks
} from "../../schemas/bus/frames.ts"
import { paced } from "../../schemas/runtime/bus/pace.ts"
import type { LeaseView } from "../../schemas/runtime/bus/lease-view.ts"
import { mayAsk } from "../../schemas/bus/roles.ts"
import { type ErrorCode, notFound, type Refusal, unavailable } from "../../schemas/errors.ts"
import { shardOf } from "../../schemas/subjects.ts"
import { endAnswered } from "../../schemas/runtime/trace/ask.ts"
import type { Span } from "../../schemas/runtime/trace/span.ts"
import type { Tracing } from "../../schemas/runtime/trace/tracing.ts"
import type { Activation, Outcome } from "./activation.ts"
import type { AnyOperation } from "./definition.ts"
import { UnknownEvent } from "./fold.ts"
import type { ActorHost } from "./host.ts"
import { jsonBytes } from "./json.ts"
import type { Placement } from "./placement.ts"
import { FIRE } from "./timers.ts"
import { commandSpan } from "./trace.ts"

const isFired = Schema.is(FiredTimer)

const EMPTY = new Uint8Array(0)
/** Bytes of answers in one reply frame. The server's limit is 1 MiB. */
const FRAME_MAX = 786_432

/** The most unknown operations that are logged. There is a limit because the askers choose the names. */
const TOLD_MAX = 100

/**
 * An operation that every actor has. It reports that another actor has written to its subject (see
 * `CommandParts.touched`).
 */
export const REFRESH = "engine.refresh"

interface Reply {
  readonly head: ReplyHead
  readonly body: Uint8Array
}

type Later<A> = A | Promise<A>

interface Passed {
  readonly rate?: RateState | undefined
  readonly span: Span | null
}

export interface OperationObserver {
  readonly settled: (op: string, refused: ErrorCode | undefined, seconds: number) => void
}

export class Node<R = never> {
  private readonly clock: Clock.Clock
  private readonly transport: BusTransport
  private readonly host: ActorHost<R>
  private readonly placement: Placement
  private readonly view: LeaseView
  private readonly tracing: Tracing
  private readonly observer: OperationObserver | undefined
  /** Replies by asker. Each flush uses a new map (schemas/runtime/bus/slots.ts says why). */
  private outgoing = new Map<string, Array<PackedReply>>()
  private readonly told = new Set<string>()
  private readonly flushSoon: () => void

  constructor(
    clock: Clock.Clock,
    transport: BusTransport,
    host: ActorHost<R>,
    placement: Placement,
    view: LeaseView,
    tracing: Tracing,
    observer?: OperationObserver
  ) {
    this.clock = clock
    this.flushSoon = paced(clock, () => this.flush(), FLUSH_GAP_MS)
    this.transport = transport
    this.host = host
    this.placement = placement
    this.view = view
    this.tracing = tracing
    this.observer = observer
  }

  receive(message: BusMessage): void {
    const { reply } = message
    if (reply === undefined) return
    // The server lets an asker publish only under its own role.
    const role = message.subject.slice(message.subject.lastIndexOf(".") + 1)
    for (const { number, ask } of unpackAsks(message.payload)) this.take(ask, number, reply, role)
  }

  private take(asked: Ask, number: number, to: string, role: string): void {
    const shard = shardOf(asked.actor)
    const ask = asked.op === FIRE ? { ...asked, op: this.ofTimer(asked) } : asked
    const operation = this.operationOf(ask)
    if (operation !== null && !mayAsk(role, asked.op))
      return this.send(to, number, { refused: unknownOperation(ask.op) }, EMPTY)
    if (!this.placement.serves(shard)) {
      this.send(to, number, { notOwner: { shard, owner: this.view.ownerOf(shard) } }, EMPTY)
      return
    }
    const began = monotonicMs(this.clock)
    const span = ask.traceparent === undefined ? null : commandSpan(this.tracing, ask)
    const end = (head: ReplyHead, body: Uint8Array): void => {
      const isOwner = this.placement.serves(shard)
      const sent: ReplyHead = isOwner ? head : { notOwner: { shard, owner: null } }
      if (span !== null) endAnswered(span, sent)
      this.send(to, number, sent, isOwner ? body : EMPTY)
    }
    const answered = ({ head, body }: Reply): void => {
      this.observer?.settled(
        ask.op,
        head.elsewhere === true ? "unavailable" : head.refused?.code,
        secondsSince(this.clock, began)
      )
      end(head, body)
    }
    const failed = (error: unknown): void => {
      if (error instanceof UnknownEvent) return answered(this.elsewhere(ask))
      this.observer?.settled(ask.op, "internal_error", secondsSince(this.clock, began))
      logNow("error", "node", { op: ask.op, command: ask.command ?? ask.id, error, span })
      end({ refused: { code: "internal_error", message: "The operation failed inside the service." } }, EMPTY)
    }
    try {
      const reply = operation === null ? this.strange(ask) : this.handle(ask, operation, span)
      if (reply instanceof Promise) reply.then(answered, failed)
      else answered(reply)
    } catch (error) {
      failed(error)
    }
  }

  /** `null` if this release has no operation of this name for this kind. */
  private operationOf({ kind, op }: Ask): AnyOperation<R> | typeof REFRESH | null {
    if (op === REFRESH) return REFRESH
    const operations = this.host.definition(kind)?.operations ?? {}
    return Object.hasOwn(operations, op) ? (operations[op] ?? null) : null
  }

  private ofTimer({ kind, input }: Ask): string {
    return (isFired(input) ? this.host.timerOperation(kind, input.name) : undefined) ?? FIRE
  }

  private elsewhere(ask: Ask): Reply {
    return { head: { notOwner: { shard: shardOf(ask.actor), owner: null }, elsewhere: true }, body: EMPTY }
  }

  private strange(ask: Ask): Reply {
    const name = `${ask.kind} ${ask.op}`
    this.host.unknown.operations++
    if (this.told.size < TOLD_MAX && !this.told.has(name)) {
      this.told.add(name)
      const error = "this release knows no such operation: it is left to a node of another"
      logNow("warn", "node", { kind: ask.kind, op: ask.op, command: ask.command ?? ask.id, error })
    }
    return this.elsewhere(ask)
  }

  private handle(ask: Ask, operation: AnyOperation<R> | typeof REFRESH, span: Span | null): Later<Reply> {
    if (operation === REFRESH) {
      this.host.stale(ask.kind, ask.actor)
      return { head: {}, body: EMPTY }
    }
    const activation = this.host.activation(ask.kind, ask.actor)
    if (activation === undefined) return this.elsewhere(ask)
    span?.set("hub.loaded", !activation.ready)
    if (activation.ready) return this.judge(ask, activation, operation, span)
    return activation.load().then(
      () => this.judge(ask, activation, operation, span),
      (error: unknown) =>
        error instanceof UnknownEvent
          ? this.elsewhere(ask)
          : refuse(unavailable("The log cannot be read at the moment."))
    )
  }

  private judge(ask: Ask, activation: Activation<R>, operation: AnyOperation<R>, span: Span | null): Later<Reply> {
    const { gate } = activation.definition
    if (gate === undefined) return this.carryOut(ask, activation, operation, { span })
    const { verdict, recorded } = gate.judge(ask, activation, operation.type === "write")
    const judged = (): Later<Reply> =>
      then(verdict, (answer) => {
        if ("moved" in answer) return { head: { moved: { agent: answer.moved } }, body: EMPTY }
        return answer.pass
          ? this.carryOut(ask, activation, operation, { rate: answer.rate, span })
          : atGate(answer.refused, answer.rate)
      })
    if (recorded === undefined) return judged()
    // The failure must have a handler from the beginning, also while the nonce is being recorded.
    if (verdict instanceof Promise) verdict.catch(() => undefined)
    // A read continues meanwhile. Other operations wait, because the signature could otherwise be used a second time.
    if (operation.type !== "read") return recorded.then((durable) => (durable ? judged() : UNRECORDED))
    return then(judged(), (made) => recorded.then((durable) => (durable ? made : UNRECORDED)))
  }

  private carryOut(ask: Ask, activation: Activation<R>, operation: AnyOperation<R>, passed: Passed): Later<Reply> {
    const { rate } = passed
    return then(this.run(ask, activation, operation, passed), (outcome): Reply => {
      if ("elsewhere" in outcome) return this.elsewhere(ask)
      return "refused" in outcome
        ? refuse(outcome.refused, rate)
        : { head: rate === undefined ? {} : { rate }, body: jsonBytes(outcome.data) }
    })
  }

  private run(ask: Ask, activation: Activation<R>, operation: AnyOperation<R>, { span }: Passed): Later<Outcome> {
    const at = wallMs(this.clock)
    const commandId = ask.command ?? ask.id
    const context = () => ({
      id: ask.actor,
      at,
      seq: activation.seq,
      commandId,
      deadline: ask.deadline,
      memory: activation.memory,
      traceparent: span?.traceparent,
      by: ask.by
    })
    if (operation.type === "read") {
      const result = operation.read(activation.state, ask.input, { id: ask.actor, at })
      return "later" in result ? activation.perform(result.later(context())) : result
    }
    if (operation.type === "custom") return activation.perform(operation.run(activation.state, ask.input, context()))
    return activation.submit(
      {
        id: commandId,
        op: ask.op,
        input: ask.input,
        by: ask.by?.key,
        deadline: ask.deadline,
        trace: ask.trace,
        why: ask.why,
        again: ask.again,
        span
      },
      operation
    )
  }

  private send(to: string, number: number, head: ReplyHead, body: Uint8Array): void {
    const reply = { number, head: encodeHead(head), body }
    const queue = this.outgoing.get(to)
    if (queue === undefined) this.outgoing.set(to, [reply])
    else queue.push(reply)
    this.flushSoon()
  }

  private flush(): void {
    const { outgoing } = this
    this.outgoing = new Map()
    for (const [to, replies] of outgoing) {
      for (const frame of inFrames(replies, replyBytes, FRAME_MAX)) this.transport.publish(to, packReplies(frame))
    }
  }
}

const refuse = (refused: Refusal, rate?: RateState): Reply => ({
  head: rate === undefined ? { refused } : { refused, rate },
  body: EMPTY
})

/** A refusal by the gate. The operation has changed nothing. */
const atGate = (refused: Refusal, rate?: RateState): Reply => {
  const { head, body } = refuse(refused, rate)
  return { head: { ...head, by: "gate" }, body }
}

const unknownOperation = (op: string): Refusal => notFound(`operation ${op}`)

const UNRECORDED = atGate(unavailable("The signature could not be recorded, so nothing was done. Sign again later."))

/** Continues without a promise if the value is there, so that a read of a resident actor costs no promise. */
const then = <A, B>(value: Later<A>, next: (value: A) => Later<B>): Later<B> =>
  value instanceof Promise ? value.then(next) : next(value)
