/**
 * Delivers notifications to the agents' webhooks (contract 4). It takes due attempts from the log, makes them, and
 * records their outcomes in the log.
 *
 * Invariants (besides kit/worker/worker.ts)
 *  - A message is acknowledged when the delivery's actor has recorded, postponed or dropped the attempt, or does not
 *    need it any more.
 *  - If another worker may have begun the attempt, the worker first asks the delivery's actor. If this process was
 *    frozen while the attempt waited here or in its socket, the worker drops the attempt, because the server may have
 *    given it to another one.
 *  - An attempt may still be made twice, with the same `webhook-id`. This happens if a worker dies between the POST and
 *    the report, or was frozen during the POST.
 *  - For each attempt, the agent's actor names the destination and signs. So the worker never has a secret, a new
 *    address or secret counts for the next attempt, and nothing is sent for a closed account.
 *  - The worker limits the time of a POST, and of the whole attempt.
 *  - fair.ts decides the receiver's share of a worker. An attempt without room is returned to the consumer and comes
 *    again soon. If the receiver is slow, or after too many returns, a timer brings it later. So receivers that never
 *    answer never fill the consumer.
 */
import { randomBytes } from "node:crypto"
import { Cause, Clock, Effect, Exit, Schedule, type Scope } from "effect"
import type { HubConfig } from "../../schemas/config.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { NO_TRACING, type Tracing } from "../../schemas/runtime/trace/tracing.ts"
import { ASK_DEADLINE_MS, asking, type Send } from "../kit/worker/asks.ts"
import { type Attempt, attempted, type AttemptParts, type DeliveryObserver, Overdue, putOff } from "./attempt.ts"
import { Deadlines } from "./deadlines.ts"
import { FairQueue, type Turn } from "./fair.ts"
import type { HeldMessages } from "../kit/worker/held.ts"
import { type Called, calledBy, logFault } from "./call.ts"
import type { Message, Source } from "../kit/worker/message.ts"
import { openWorker, type Run } from "../kit/worker/worker.ts"
import type { Poster } from "../kit/post.ts"
import { attemptSpan } from "./trace.ts"

export interface WorkerParts {
  readonly source: Source
  readonly ask: Send
  readonly poster: Pick<Poster, "post">
  readonly config: Pick<HubConfig, "limits">
  readonly observer?: DeliveryObserver
  readonly tracing?: Tracing
}

/** The most tries of an attempt whose receiver or agent is busy (fair.ts). Then the delivery is postponed. */
const BUSY_TRIES_MAX = 20
/** The most asks of a delivery that does not know the attempt yet, and the pause between two asks. */
const LOOKS = 20
const LOOK_AGAIN_MS = 10
/**
 * The most consecutive asks of one attempt: for the signature, for the report, and to tell the agent's actor the
 * outcome.
 */
const ASKS_MAX = 3
/** A POST that has not returned this long after its own time limit counts as timed out. */
export const ASTRAY_MS = 2000
/** Time for attempts under way when the worker ends. */
export const LINGER_MS = 1000

export class Worker {
  private readonly parts: WorkerParts
  private readonly attempts: AttemptParts
  private readonly run: Run
  /** The time limits of whole attempts. An attempt that exceeds its limit is interrupted. */
  private readonly over: Deadlines
  private readonly queue: FairQueue<Attempt>
  private readonly held: HeldMessages
  private ending = false

  private constructor(parts: WorkerParts, attempts: AttemptParts, run: Run, over: Deadlines) {
    this.parts = parts
    this.attempts = attempts
    this.run = run
    this.over = over
    this.queue = new FairQueue(parts.config.limits.webhook)
    this.held = attempts.held
  }

  static make(parts: WorkerParts): Effect.Effect<Worker, never, Scope.Scope> {
    return Effect.gen(function* () {
      const { source, poster, observer, config } = parts
      const bounds = config.limits.webhook
      const ask = asking(yield* Clock.Clock, parts.ask)
      const slow = yield* Deadlines.make(bounds.slow_ms)
      const astray = yield* Deadlines.make(bounds.timeout_ms + ASTRAY_MS)
      const over = yield* Deadlines.make(ASKS_MAX * ASK_DEADLINE_MS + bounds.timeout_ms + 2 * ASTRAY_MS)
      return yield* openWorker(
        { source, bounds, ackWaitMs: bounds.ack_wait_ms, lingerMs: LINGER_MS, callIn: calledBy },
        (held, run) => new Worker(parts, { ask, held, poster, slow, astray, observer }, run, over)
      )
    })
  }

  get load(): { readonly held: number; readonly inFlight: number; readonly queued: number } {
    return { held: this.held.size, inFlight: this.queue.inFlight, queued: this.queue.queued }
  }

  begin(message: Message, { call, content }: Called, isFirst: boolean): void {
    if (content !== null && isFirst) return this.admit({ ...content, call, message })
    this.underTake(message, this.look(message, call))
  }

  end(): void {
    this.ending = true
    for (const { message } of this.queue.clear()) this.held.nak(message, 0)
  }

  /**
   * Asks the delivery's actor whether the attempt is still due, and for its content. A commit can arrive before its own
   * actor knows of it. If the actor does not know the attempt's number yet, it is asked again.
   */
  private look(message: Message, call: number): Effect.Effect<void, Refusal> {
    const { held } = this
    const content = Effect.suspend(() =>
      this.attempts.ask(`look-${randomBytes(8).toString("hex")}`, "delivery.content", message.delivery, null)
    )
    const schedule = Schedule.spaced(LOOK_AGAIN_MS)
    const found = Effect.repeat(content, { schedule, times: LOOKS - 1, until: ({ calls }) => calls >= call })
    return Effect.map(found, ({ calls, called, ...rest }) => {
      if (calls < call) held.again(message)
      else if (calls > call || !called) held.ack(message)
      // Another worker may be about to report its attempt. If none has the message, the server delivers it again.
      else if (held.isLost(message)) held.letGo(message)
      else this.admit({ ...rest, call, message })
    })
  }

  private admit(attempt: Attempt): void {
    const { message, receiver, agent } = attempt
    if (this.ending) return this.held.nak(message, 0)
    const accepted = this.queue.add(receiver, agent, attempt)
    const { probation_tries_max } = this.parts.config.limits.webhook
    const tries = accepted === "full" ? probation_tries_max : BUSY_TRIES_MAX
    if (accepted === "slow" || (accepted !== "accepted" && message.given > tries)) this.putOff([attempt])
    else if (accepted !== "accepted") this.held.giveBack(message)
    this.beginNext()
  }

  private beginNext(): void {
    for (let turn = this.queue.take(); turn !== null; turn = this.queue.take()) this.carryOut(turn)
  }

  private carryOut({ item, late, done }: Turn<Attempt>): void {
    if (this.held.isLost(item.message)) {
      this.held.letGo(item.message)
      return this.putOff(done(null))
    }
    const { tracing = NO_TRACING } = this.parts
    const span = attemptSpan(tracing, item.message.traceparent, item.message.seq)
    const attempt = span === null ? item : { ...item, span }
    // A slow receiver counts as slow during the attempt. Otherwise others would wait until the attempt has ended.
    const made = attempted(this.attempts, attempt, () => this.putOff(late()))
    this.underTake(item.message, made, (ended) => {
      const tookMs = ended?.tookMs ?? null
      span?.set("hub.outcome", tookMs === null ? "not_made" : "made").end()
      this.putOff(done(tookMs))
      if (ended?.receiver !== undefined) this.admit({ ...item, receiver: ended.receiver })
      this.beginNext()
    })
  }

  private putOff(attempts: ReadonlyArray<Attempt>): void {
    for (const attempt of attempts) this.underTake(attempt.message, putOff(this.attempts, attempt))
  }

  /**
   * Does a part of the work on a message, within a time limit. If an actor cannot be asked at the moment, or the work
   * does not end, the message comes again. `ended` is not called if the worker ends before.
   */
  private underTake<A>(message: Message, work: Effect.Effect<A, Refusal>, ended?: (made: A | null) => void): void {
    const { run, over } = this
    const fiber = run(work)
    let isOverdue = false
    const interrupt = (): void => {
      isOverdue = true
      fiber.interruptUnsafe()
    }
    over.set(interrupt)
    fiber.addObserver((exit) => {
      over.clear(interrupt)
      if (Exit.isSuccess(exit)) return ended?.(exit.value)
      if (Exit.hasInterrupts(exit) && !isOverdue) return
      if (!Exit.hasFails(exit)) logFault(message, isOverdue ? new Overdue() : Cause.squash(exit.cause))
      this.held.again(message)
      ended?.(null)
    })
  }
}
