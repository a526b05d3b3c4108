/**
 * Delivers notifications to the agents' webhooks (contract 4): takes the attempts that the log calls for, makes them,
 * and reports them to the log.
 *
 * Invariants
 *  - The log says what is to be done: a commit of a delivery that calls for an attempt is one message of a durable
 *    consumer that all workers share. It is acknowledged when the delivery's actor has the report, or has put the
 *    attempt off.
 *  - A worker may die anywhere: the message comes to another, which asks the delivery first whether the attempt is
 *    still called for. Between the POST and the report it may so be made twice, under the same `webhook-id`; never is
 *    one lost.
 *  - The agent's actor says where to and signs, at each attempt anew: no secret ever comes here, a new address or
 *    secret counts at once, and for an account that is closed nothing leaves.
 *  - What a worker holds is bounded (`held_max`), what waits for one receiver too; while it holds as much as it may it
 *    fetches nothing. What it holds it says to be working on, so that only the silence of a worker gives its work away.
 *  - It trusts nobody to come back: a POST, and all that is done about one attempt, has an end of the worker's own.
 *  - The receiver's part of a worker comes from fair.ts. What has no room there comes again: soon, from the consumer,
 *    where the receiver is well; later, by a timer of the delivery, where it is slow or too many are unknown, so that
 *    those who never answer never fill the consumer.
 *  - As its scope closes it fetches no more, gives back what waits, and lets what is under way end. What has not ended
 *    after LINGER_MS is interrupted and comes to another worker: the connection may be gone.
 */
import { randomBytes } from "node:crypto"
import { Cause, Clock, Effect, Exit, Fiber, FiberSet, Schedule, type Scope } from "effect"
import type { HubConfig } from "../../schemas/config.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { NO_TRACING, type Tracing } from "../../schemas/runtime/trace/tracing.ts"
import { ASK_DEADLINE_MS, asking, type Send } from "../kit/worker/asks.ts"
import { type Attempt, attempted, type AttemptParts, type DeliveryObserver, putOff } from "./attempt.ts"
import { Deadlines } from "./deadlines.ts"
import { FairQueue, type Turn } from "./fair.ts"
import { Held } from "../kit/worker/held.ts"
import { calledBy } from "./call.ts"
import { logFault, type Message, Overdue, type Source } from "../kit/worker/message.ts"
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

/** What a newer release has written is left to its workers. */
/** How often a delivery comes again for a receiver that is fast and has more than it takes; then it is put off. */
const BUSY_TRIES_MAX = 20
const STRANGE_MS = 5000
const FETCH_RETRY_MS = 250
/** How often, and how far apart, a delivery is asked for a call that it has not heard of. */
const LOOKS = 20
const LOOK_AGAIN_MS = 10
/** Asks about one attempt, one after the other: the signature, the report, what the agent is told. */
const ASKS_MAX = 3
/** What a POST may take beyond its own bound: one that is not back by then has gone astray, and counts as late. */
export const ASTRAY_MS = 2000
/** At the end, for what is under way. */
export const LINGER_MS = 1000

type Run = <A, E>(work: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

/** What is made with the worker's scope. */
interface Scoped {
  readonly held: Held
  readonly underWay: FiberSet.FiberSet
  readonly run: Run
  readonly slow: Deadlines
  readonly astray: Deadlines
  /** Of all that is done about one attempt. */
  readonly over: Deadlines
}

const scopedFor = (limits: Limits["webhook"]): Effect.Effect<Scoped, never, Scope.Scope> =>
  Effect.gen(function* () {
    const held = new Held(limits)
    const working = Effect.sync(() => held.sayWorking())
    yield* Effect.forkScoped(Effect.repeat(working, Schedule.spaced(Math.ceil(limits.ack_wait_ms / 3))))
    const slow = yield* Deadlines.make(limits.slow_ms)
    const astray = yield* Deadlines.make(limits.timeout_ms + ASTRAY_MS)
    const over = yield* Deadlines.make(ASKS_MAX * ASK_DEADLINE_MS + limits.timeout_ms + 2 * ASTRAY_MS)
    const underWay = yield* FiberSet.make()
    return { held, underWay, run: yield* FiberSet.runtime(underWay)(), slow, astray, over }
  })

export class Worker {
  private readonly parts: WorkerParts
  private readonly scoped: Scoped
  private readonly attempts: AttemptParts
  private readonly tracing: Tracing
  private readonly queue: FairQueue<Attempt>
  private readonly held: Held
  private ending = false

  private constructor(clock: Clock.Clock, parts: WorkerParts, scoped: Scoped) {
    const { ask, poster, observer, config, tracing = NO_TRACING } = parts
    const { held, slow, astray } = scoped
    this.parts = parts
    this.scoped = scoped
    this.attempts = { ask: asking(clock, ask), held, poster, slow, astray, observer }
    this.tracing = tracing
    this.queue = new FairQueue(config.limits.webhook)
    this.held = held
  }

  static make(parts: WorkerParts): Effect.Effect<Worker, never, Scope.Scope> {
    return Effect.gen(function* () {
      const worker = new Worker(yield* Clock.Clock, parts, yield* scopedFor(parts.config.limits.webhook))
      const fetching = yield* Effect.forkScoped(worker.fetch())
      yield* Effect.addFinalizer(() => worker.end(fetching))
      return worker
    })
  }

  get load(): { readonly held: number; readonly inFlight: number; readonly queued: number } {
    return { held: this.held.size, inFlight: this.queue.inFlight, queued: this.queue.queued }
  }

  private end(fetching: Fiber.Fiber<unknown>): Effect.Effect<unknown> {
    return Effect.gen({ self: this }, function* () {
      this.ending = true
      yield* Fiber.interrupt(fetching)
      for (const { message } of this.queue.clear()) this.held.nak(message, 0)
      yield* Effect.timeoutOption(FiberSet.awaitEmpty(this.scoped.underWay), LINGER_MS)
    })
  }

  private fetch(): Effect.Effect<void> {
    const { held, parts } = this
    const some = Effect.suspend(() => parts.source.fetch(held.room, (message) => this.take(message)))
    const fetching = Effect.forever(Effect.andThen(held.roomy, some))
    return Effect.orDie(Effect.retry(fetching, Schedule.spaced(FETCH_RETRY_MS)))
  }

  private take(message: Message): void {
    const called = calledBy(message)
    if (called === undefined) return message.nak(STRANGE_MS)
    if (called === null) return message.ack()
    if (this.ending) return message.nak(0)
    // Given out again while the line was down: it is being seen to.
    if (this.held.has(message)) return
    const { call, content } = called
    const firstHand = this.held.hold(message)
    if (content !== null && firstHand) return this.admit({ ...content, call, message })
    this.underTake(message, this.look(message, call))
  }

  /**
   * Asks the delivery what is to be sent, and whether still. A commit can be here before its own actor has heard that
   * it is written: an actor that does not know of the call yet is asked again.
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
    this.begin()
  }

  private begin(): void {
    for (let turn = this.queue.take(); turn !== null; turn = this.queue.take()) this.carryOut(turn)
  }

  private carryOut({ item, late, done }: Turn<Attempt>): void {
    const span = attemptSpan(this.tracing, item.message.traceparent, item.message.seq)
    const attempt = span === null ? item : { ...item, span }
    // Whoever is slow is treated so at once: until the attempt has ended, others would wait.
    const made = attempted(this.attempts, attempt, () => this.putOff(late()))
    this.underTake(item.message, made, (ended) => {
      const tookMs = ended?.tookMs ?? null
      span?.set("hub.outcome", tookMs === null ? "not_made" : "made").end()
      this.putOff(done(tookMs))
      if (ended?.receiver !== undefined) this.admit({ ...item, receiver: ended.receiver })
      this.begin()
    })
  }

  private putOff(attempts: ReadonlyArray<Attempt>): void {
    for (const attempt of attempts) this.underTake(attempt.message, putOff(this.attempts, attempt))
  }

  /**
   * All that belongs to one attempt together; what cannot be asked at the moment, or does not end, comes again. `ended`
   * hears nothing where the worker has ended before.
   */
  private underTake<A>(message: Message, work: Effect.Effect<A, Refusal>, ended?: (made: A | null) => void): void {
    const { run, over } = this.scoped
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
