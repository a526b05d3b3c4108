/**
 * One actor in memory: its history (history.ts), and the mailbox of commands that wait for it.
 *
 * Invariants
 *  - One write at a time, all of them by one fiber, which lives as long as commands wait. Reads are answered from the
 *    last committed state and never wait for a write.
 *  - A command that is sent again while the first try is under way waits for that try's answer.
 *  - A command is done when it is committed. The next one then begins, even if the answer still waits for read models.
 *  - The mailbox is bounded, and answers that still wait count as well. A command beyond the bound is refused as
 *    `overloaded`.
 *  - When the node loses the shard, its fibers are interrupted. A command that has not reached its append ends there
 *    and commits nothing. One that has reached it is completed (command.ts). Waiting callers get the answer that they
 *    must ask another node.
 */
import { Cause, Effect, Exit, type Fiber } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { type Command, type CommandParts, type Committed, execute, type UnderWay } from "./command.ts"
import type { ActorDefinition, ActorTypes, WriteOperation } from "./definition.ts"
import { UnknownEvent } from "./fold.ts"
import { History } from "./history.ts"

/** `elsewhere`: the caller has to ask another node, which has the shard now or runs a newer release. */
export type Outcome = Committed | { readonly elsewhere: true }

/** Runs an effect as one of the fibers of the actor's shard, with the services of its kind. */
export type Run<R> = <A, E>(effect: Effect.Effect<A, E, R>) => Fiber.Fiber<A, E>

type AnyWrite<R> = WriteOperation<ActorTypes, unknown, unknown, unknown, unknown, R>

interface Queued<R> extends UnderWay<R> {
  readonly waiters: Array<(outcome: Outcome) => void>
}

export interface EngineParts extends CommandParts {
  readonly mailboxFull?: () => void
}

export class Activation<R = never> extends History<R, EngineParts> {
  /** Unix ms of the last request. An actor that is idle for long leaves memory (passivation). */
  lastUsed = 0
  readonly memory: unknown
  private readonly run: Run<R>
  private queue: Array<Queued<R>> | null = null
  /** Commands that are committed and not answered yet, by command id. */
  private readonly answering = new Map<string, Queued<R>>()

  constructor(definition: ActorDefinition<ActorTypes, R>, id: string, parts: EngineParts, run: Run<R>) {
    super(definition, id, parts)
    this.memory = definition.memory?.()
    this.run = run
  }

  /** Number of commands that wait or are carried out, and of answers that wait. */
  get depth(): number {
    return (this.queue?.length ?? 0) + this.answering.size
  }

  get idle(): boolean {
    return this.queue === null && this.loading === null && this.answering.size === 0
  }

  submit(command: Command, operation: AnyWrite<R>): Promise<Outcome> {
    const underWay = this.answering.get(command.id) ?? this.queue?.find((queued) => queued.command.id === command.id)
    if (underWay !== undefined) return new Promise((resolve) => underWay.waiters.push(resolve))
    if (this.depth >= this.parts.limits.mailbox_max) {
      this.parts.mailboxFull?.()
      return Promise.resolve({
        refused: { code: "overloaded", message: "Too many commands wait for this actor.", retryAfter: 1 }
      })
    }
    return new Promise((resolve) => {
      const queued: Queued<R> = { command, operation, committed: null, shown: null, waiters: [resolve] }
      if (this.queue !== null) {
        this.queue.push(queued)
        return
      }
      this.queue = [queued]
      this.run(this.mailbox())
    })
  }

  /**
   * Runs an operation that does not use the mailbox. Returns the outcome without a promise if nothing has to be waited
   * for.
   */
  perform(effect: Effect.Effect<unknown, Refusal, R>): Outcome | Promise<Outcome> {
    const fiber = this.run(effect)
    const done = fiber.pollUnsafe()
    if (done !== undefined) return outcomeOf(done)
    return new Promise((resolve, reject) =>
      fiber.addObserver((exit) => {
        try {
          resolve(outcomeOf(exit))
        } catch (error) {
          reject(error)
        }
      })
    )
  }

  /** Works through the queue. It is started when a command arrives, so an idle actor has no fiber. */
  private mailbox(): Effect.Effect<void, never, R> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        let lost = false
        for (let next = this.queue?.[0]; next !== undefined; next = this.queue?.[0]) {
          const exit: Exit.Exit<unknown, Refusal> = lost
            ? LOST
            : yield* Effect.exit(restore(execute(this, this.parts, next)))
          lost ||= Exit.hasInterrupts(exit)
          this.queue?.shift()
          const outcome = next.committed ?? this.settled(next.command, exit)
          if (next.shown === null || lost) answer(next, outcome)
          else this.answerOnceShown(next, outcome, next.shown)
        }
        this.queue = null
      })
    )
  }

  /** Answers once `shown` has resolved, or immediately if the node loses the shard before that. */
  private answerOnceShown(done: Queued<R>, outcome: Outcome, shown: () => Promise<unknown>): void {
    this.answering.set(done.command.id, done)
    const answered = Effect.sync(() => {
      this.answering.delete(done.command.id)
      answer(done, outcome)
    })
    this.run(Effect.ensuring(Effect.promise(shown), answered))
  }

  private settled({ id: command, op, span }: Command, exit: Exit.Exit<unknown, Refusal>): Outcome {
    try {
      return outcomeOf(exit)
    } catch (error) {
      logNow("error", "actor", { kind: this.definition.kind, id: this.id, op, command, error, span })
      this.stale()
      return { refused: { code: "internal_error", message: "The command failed inside the service." } }
    }
  }
}

const LOST = Exit.interrupt()

const answer = <R>({ waiters }: Queued<R>, outcome: Outcome): void => {
  for (const resolve of waiters) resolve(outcome)
}

/** Throws if the exit is a defect other than `UnknownEvent`. */
const outcomeOf = (exit: Exit.Exit<unknown, Refusal>): Outcome => {
  if (Exit.isSuccess(exit)) return { data: exit.value }
  const refused = exit.cause.reasons.find(Cause.isFailReason)
  if (refused !== undefined) return { refused: refused.error }
  if (Cause.hasInterruptsOnly(exit.cause)) return { elsewhere: true }
  const defect = Cause.squash(exit.cause)
  if (defect instanceof UnknownEvent) return { elsewhere: true }
  throw defect
}
