/**
 * Declares an actor kind: its state, its events with `evolve`, its operations with `decide`. `decide` and `evolve` are
 * pure: no clock, no randomness, no bus, no SQL. Time comes in as `at`. Everything else that a decision needs from
 * outside comes in as facts, which `prepare` gathers before the decision.
 *
 * `prepare`, `after` and custom operations are Effects. `prepare` and custom operations fail with the refusal that the
 * caller gets. The type `R` names the services that the Effects use. `prepare` and custom operations are interrupted
 * when the node loses the actor's shard.
 */
import { Clock, Deferred, Effect, Exit } from "effect"
import type { Ask, RateState, SignedBy } from "../../schemas/bus/frames.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { Operation as Declared } from "../../schemas/operation.ts"
import { monotonicMs } from "../../schemas/runtime/clock.ts"
import type { FiredTimer } from "../../schemas/timer.ts"
import type { EventShape } from "../log/commit.ts"
import type { Json } from "./json.ts"
import { Recent } from "./recent.ts"

/** Events for another actor, as a commit of its own in the same batch. Both commits are written, or neither is. */
export interface Companion {
  readonly kind: string
  readonly id: string
  /** The sequence of that actor's last commit; 0 if the actor must not have any. */
  readonly expected: number
  readonly events: ReadonlyArray<EventShape>
  /**
   * True if the id is a number that this actor has drawn for the command, and no other actor ever begins it. The
   * archive then need not be asked (see the invariants of log/event-log.ts).
   */
  readonly drawn?: true
  /** Seconds that the log keeps this commit. If absent, it is kept for good. */
  readonly keepSeconds?: number
}

/**
 * A timer that fires at its time or later, as `{ name, at }`. Setting one of the same name for another time does not
 * cancel the first one. The operation that it becomes therefore compares `at` with the time that the state waits for
 * (`isDue`).
 */
export interface Timer {
  readonly name: string
  /** Unix ms. */
  readonly at: number
  /** The actor that gets the timer, such as one that this commit creates. If absent, it is this actor. */
  readonly of?: { readonly kind: string; readonly id: string }
}

export type Decision<Event extends EventShape = EventShape, Reply = unknown> =
  | { readonly refused: Refusal; readonly events?: ReadonlyArray<Event> }
  | {
      readonly events: ReadonlyArray<Event>
      /**
       * Kept in the commit, so that a repeated command gets the same reply. It must never hold a secret in plain text.
       */
      readonly reply?: Reply
      readonly companions?: ReadonlyArray<Companion>
      /**
       * Set before the commit, and also if there are no events. So a timer may fire without effect, but it is never
       * missing and never changes another one.
       */
      readonly timers?: ReadonlyArray<Timer>
    }

/**
 * True if the fired timer is the one that the state waits for, or has no recorded time. No clock is read, because the
 * server's clock triggered the timer.
 */
export const isDue = (fired: FiredTimer, due: number): boolean => fired.at === undefined || fired.at === wholeMs(due)

/** Milliseconds that the bus's clock, which fires timers, may be ahead of a node's. */
const CLOCK_AHEAD_MAX_MS = 300_000

/**
 * Compares a fired timer with the time that the state waits for. `due`: the time has come. `early`: it has not come by
 * this node's clock, and the timer must be set again. `another`: it was set for something else. A timer without a
 * recorded time counts as ours if the difference is within what clocks may differ.
 */
export const firing = (fired: FiredTimer, due: number, at: number): "due" | "early" | "another" => {
  if (!isDue(fired, due)) return "another"
  if (at >= due) return "due"
  return fired.at !== undefined || due - at <= CLOCK_AHEAD_MAX_MS ? "early" : "another"
}

/** Timers are set for whole milliseconds, never earlier than they were asked for. */
export const wholeMs = (at: number): number => Math.ceil(at)

export interface ActorTypes {
  readonly state: unknown
  readonly event: EventShape
  readonly memory: unknown
}

/** The `data` of an answer, as a value or as serialized JSON. */
export type Answer<Output> = Output | Json<Output>

export interface AnswerContext {
  readonly id: string
  /** Unix ms. */
  readonly at: number
}

export interface DecideContext<Facts> extends AnswerContext {
  /** Sequence of the last commit on this actor's subject; 0 if there is none. */
  readonly seq: number
  readonly facts: Facts
}

export interface PrepareContext<Memory = unknown> extends AnswerContext {
  readonly seq: number
  readonly commandId: string
  /** Unix ms. */
  readonly deadline: number
  readonly memory: Memory
  /** Passed on when other actors are asked, so that those steps belong to the same trace. */
  readonly traceparent?: string | undefined
  /** The signer of the request; absent if it was not signed, and in the `prepare` of writes. */
  readonly by?: SignedBy | undefined
}

/** The result of a read, available immediately and without a fiber. */
export type Result<Output> = { readonly data: Answer<Output> } | { readonly refused: Refusal }

/**
 * The result of a read that cannot be answered from this state alone. The engine then runs `later` like a custom
 * operation.
 */
interface Later<A extends ActorTypes, Output, R> {
  later(context: PrepareContext<A["memory"]>): Effect.Effect<Answer<Output>, Refusal, R>
}

export interface ReadOperation<A extends ActorTypes, Input, Output, R = never> {
  readonly type: "read"
  /** Changes nothing, and does not wait for a write under way. */
  read(state: A["state"], input: Input, context: AnswerContext): Result<Output> | Later<A, Output, R>
}

type CommandResult<State> = { readonly state: State; readonly refused: Refusal | null }

interface Writing<A extends ActorTypes, Input, Output, Facts, Reply, R> {
  /** Interrupted at the command's deadline. */
  prepare?(state: A["state"], input: Input, context: PrepareContext<A["memory"]>): Effect.Effect<Facts, Refusal, R>
  decide(state: A["state"], input: Input, context: DecideContext<Facts>): Decision<A["event"], Reply>
  /** Called after a try that did not commit, with its facts. Like `after`, the call may be lost. */
  unused?(facts: Facts): Effect.Effect<void, never, R>
  /**
   * Called when a companion was not at the expected sequence, because another actor has written to it. It decides
   * again; `lost` is that companion. Without this function, the whole command is tried again from the log.
   */
  contested?(
    state: A["state"],
    input: Input,
    lost: Companion,
    context: DecideContext<Facts>
  ): Decision<A["event"], Reply>
  /**
   * Makes the answer from the new state and the commit's reply, for a repeated command as well. `reply` is missing if
   * an answer that was too long to be kept is made again.
   */
  answer(state: A["state"], reply: Reply, context: AnswerContext): Answer<Output>
  /** True if the answer waits until the read models contain the commit. */
  readonly projected?: boolean
  /**
   * Runs at most once after a commit. It is not awaited, and is lost if the node dies. `state` is the new state.
   * `refused` is set if the commit recorded a refusal.
   */
  after?(input: Input, context: DecideContext<Facts>, made: CommandResult<A["state"]>): Effect.Effect<void, never, R>
}

export interface WriteOperation<
  A extends ActorTypes,
  Input,
  Output,
  Facts = unknown,
  Reply = unknown,
  R = never
> extends Writing<A, Input, Output, Facts, Reply, R> {
  readonly type: "write"
}

/**
 * An operation that the engine runs without a decision or a commit of this actor. It may keep its data in a store of
 * its own.
 */
export interface CustomOperation<A extends ActorTypes, Input, Output, R = never> {
  readonly type: "custom"
  run(state: A["state"], input: Input, context: PrepareContext<A["memory"]>): Effect.Effect<Answer<Output>, Refusal, R>
}

export type Operation<A extends ActorTypes, Input, Output, R = never> =
  | ReadOperation<A, Input, Output, R>
  | WriteOperation<A, Input, Output, unknown, unknown, R>
  | CustomOperation<A, Input, Output, R>

export type Implemented<Ops extends Readonly<Record<string, Declared>>, A extends ActorTypes, R = never> = {
  readonly [Name in keyof Ops]: Operation<A, Ops[Name]["input"]["Type"], Ops[Name]["output"]["Type"], R>
}

/** An operation as the engine calls it. The asker's side has checked the types of the input already. */
export type AnyOperation<R = never> = Operation<ActorTypes, unknown, unknown, R>

/**
 * The definition of a kind. `R`: the services that its operations use. The functions are declared as methods, because
 * TypeScript allows a more general parameter type there. So the engine can take kinds of all types as
 * `ActorDefinition<ActorTypes, R>`.
 */
export interface ActorDefinition<A extends ActorTypes = ActorTypes, R = never> {
  readonly kind: string
  /** The state of an actor to which nothing has happened. */
  readonly initial: A["state"]
  evolve(state: A["state"], event: A["event"], meta: AnswerContext): A["state"]
  /** The newest version of each event type that `evolve` understands. */
  readonly events: Readonly<Record<string, number>>
  readonly operations: Readonly<Record<string, Operation<A, unknown, unknown, R>>>
  /**
   * The operations that handle fired timers, by the timer's name. Their input is `FiredTimer`. A timer of another name
   * is a newer release's, and waits for it. So the list keeps each name that an earlier release has set.
   */
  readonly onTimer?: Readonly<Record<string, string>>
  /**
   * True if the log forgets an actor of this kind in the end. Then it has no snapshots, no table keeps it for longer,
   * and its id may begin again. So its timers and reactions must find nothing to do if there is no state.
   */
  readonly ends?: true
  /**
   * Seconds that the log keeps a commit made at `at` (Unix ms) on this state, for a kind that ends. The first commit of
   * an actor must end before all others, because a history that lacks only later commits would give an old state.
   */
  keepSeconds?(state: A["state"], at: number): number
  /** True if the kind has no log. Its actors keep everything in memory and in their own stores. */
  readonly logless?: true
  /**
   * Makes the memory that an activation has beside its state, such as rate windows and requests under way. It is lost
   * with the activation.
   */
  memory?(): A["memory"]
  /** Adds further consequences to a decision, for every operation of the kind. Pure. */
  consequences?(state: A["state"], decision: Decision<A["event"]>, context: AnswerContext): Decision<A["event"]>
  /** Judges a request before its operation runs, if it is signed or draws on rate limits. */
  readonly gate?: Gate<A>
  /**
   * Counts the bytes that commands put into the log. Signed commands count, and so do the operations named in
   * `metered`.
   */
  readonly meter?: Meter<A["memory"]>
  readonly metered?: ReadonlySet<string>
}

export interface Metered<Memory = unknown> {
  readonly id: string
  readonly memory: Memory
}

/**
 * Limits the bytes that an actor may write. `admit` is called before an append and `spent` after a successful one, so a
 * failed try costs nothing.
 */
export interface Meter<Memory = unknown> {
  /** Fails with a refusal if a request of this size is not allowed. */
  admit(bytes: number, of: Metered<Memory>): Effect.Effect<void, Refusal>
  spent(bytes: number, of: Metered<Memory>): void
}

export type GateVerdict =
  | { readonly pass: true; readonly rate?: RateState | undefined }
  | { readonly pass: false; readonly refused: Refusal; readonly rate?: RateState | undefined }
  | { readonly moved: string }

export interface Judgement {
  readonly verdict: GateVerdict | Promise<GateVerdict>
  /**
   * Resolves to true once the log has the nonce, and to false if that failed; the answer is then `unavailable`. A read
   * may run meanwhile.
   */
  readonly recorded?: Promise<boolean>
}

export interface Gate<A extends ActorTypes> {
  judge(ask: Ask, activation: { readonly state: A["state"]; readonly memory: A["memory"] }, writes: boolean): Judgement
}

export const read = <A extends ActorTypes, Input, Output, R = never>(
  read: ReadOperation<A, Input, Output, R>["read"]
): ReadOperation<A, Input, Output, R> => ({ type: "read", read })

export const write = <A extends ActorTypes, Input, Output, Facts, Reply, R>(
  writing: Writing<A, Input, Output, Facts, Reply, R>
): WriteOperation<A, Input, Output, Facts, Reply, R> => ({ type: "write", ...writing })

export const custom = <A extends ActorTypes, Input, Output, R>(
  run: CustomOperation<A, Input, Output, R>["run"]
): CustomOperation<A, Input, Output, R> => ({ type: "custom", run })

/**
 * The time for which answers of custom operations that change something are remembered, in case the same command is
 * sent again.
 */
const ONCE_KEPT_MS = 15_000
const ONCE_MAX = 20_000

/**
 * An operation that is carried out once under its command's id. A repeat while it is under way, or soon afterwards,
 * gets the first answer. A refused operation is forgotten, and may be tried again.
 */
export const once = <A extends ActorTypes, Input, Output, R>(
  run: CustomOperation<A, Input, Output, R>["run"]
): CustomOperation<A, Input, Output, R> => {
  const recent = new Recent<Deferred.Deferred<Answer<Output>, Refusal>>(ONCE_KEPT_MS, ONCE_MAX)
  return custom((state, input, context) =>
    Clock.clockWith((clock) => {
      const key = `${context.id} ${context.commandId}`
      const now = monotonicMs(clock)
      const known = recent.get(key, now)
      if (known !== undefined) return Deferred.await(known)
      const first = Deferred.makeUnsafe<Answer<Output>, Refusal>()
      recent.set(key, first, now)
      return Effect.onExit(run(state, input, context), (exit) => {
        if (Exit.isFailure(exit)) recent.delete(key)
        return Deferred.done(first, exit)
      })
    })
  )
}
