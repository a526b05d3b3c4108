/**
 * Declares an actor kind: its state, its events with `evolve`, its operations with `decide`. `decide` and `evolve` are
 * pure: no clock, no randomness, no bus, no SQL. Time comes in `at`; whatever else a decision needs of the world comes
 * in as facts, gathered by `prepare` before the decision.
 *
 * `prepare`, `after` and operations of a kind's own are Effects: they fail with the refusal that is to be answered, and
 * say in their type (`R`) which services they reach. All of them may be interrupted before the append: when the node
 * loses the actor's shard, whatever they wait for is given up.
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

/** Events for another actor in the same commit, all or nothing. */
export interface Companion {
  readonly kind: string
  readonly id: string
  /** The sequence that actor must stand at: 0 where nobody may have written to it. */
  readonly expected: number
  readonly events: ReadonlyArray<EventShape>
  /**
   * True if its id is a number that this actor has drawn for the command, and no other actor ever begins it. Then the
   * archive needs not be asked (the invariants of log/event-log.ts).
   */
  readonly drawn?: true
  /** Seconds that the log keeps this commit; absent: for good. */
  readonly keepSeconds?: number
}

/**
 * Fires once at its time, as `{ name, at }`, or later. Setting one of the same name for another time takes the first
 * not back: the operation that it becomes asks the state whether `at` is what it waits for (`isDue`).
 */
export interface Timer {
  readonly name: string
  /** Unix ms. */
  readonly at: number
  /** Another actor's, such as one that this commit begins; its own where nothing is said. */
  readonly of?: { readonly kind: string; readonly id: string }
}

export type Decision<Event extends EventShape = EventShape, Reply = unknown> =
  | { readonly refused: Refusal; readonly events?: ReadonlyArray<Event> }
  | {
      readonly events: ReadonlyArray<Event>
      /** Kept in the commit, so that a repeated command gets it again. Never a secret in the clear. */
      readonly reply?: Reply
      readonly also?: ReadonlyArray<Companion>
      /** Set before the commit: a timer may fire for nothing, but is never missing, and changes no other. */
      readonly timers?: ReadonlyArray<Timer>
    }

/** True if a timer is the awaited one. No clock is asked, for it fires by the server's. */
export const isDue = (fired: FiredTimer, due: number): boolean => fired.at === undefined || fired.at === wholeMs(due)

/** Milliseconds that the bus's clock, which fires timers, may be ahead of a node's. */
const CLOCK_AHEAD_MAX_MS = 300_000

/**
 * The meaning of a fired timer for a state that waits for `due`. Its time has come; or it has not by this node's clock,
 * and the timer must come again; or it is another's. One that does not say for when it was set is ours within what
 * clocks may differ.
 */
export const firing = (fired: FiredTimer, due: number, at: number): "due" | "early" | "another" => {
  if (!isDue(fired, due)) return "another"
  if (at >= due) return "due"
  return fired.at !== undefined || due - at <= CLOCK_AHEAD_MAX_MS ? "early" : "another"
}

/** Timers are set for whole milliseconds, never earlier than they were asked for. */
export const wholeMs = (at: number): number => Math.ceil(at)

/** The types of a kind: its state, its events, and the memory of an activation. */
export interface ActorTypes {
  readonly state: unknown
  readonly event: EventShape
  readonly memory: unknown
}

/** An answer's `data`, or the same as ready JSON. */
export type Answer<Output> = Output | Json<Output>

export interface AnswerContext {
  readonly id: string
  /** Unix ms. */
  readonly at: number
}

export interface DecideContext<Facts> extends AnswerContext {
  /** Sequence of the last commit on this actor's subject; 0 when there is none. */
  readonly seq: number
  readonly facts: Facts
}

export interface PrepareContext<Memory = unknown> extends AnswerContext {
  readonly seq: number
  readonly commandId: string
  /** Unix ms. */
  readonly deadline: number
  readonly memory: Memory
  /** For asks of other actors: they are steps of the same trace. */
  readonly traceparent?: string | undefined
  /** The signer of the request, if there is one. */
  readonly by?: SignedBy | undefined
}

/** The result of a read, at once and without a fiber. */
export type Result<Output> = { readonly data: Answer<Output> } | { readonly refused: Refusal }

/** A read that for this state needs more of the world than the state: as an operation of a kind's own does. */
interface Later<A extends ActorTypes, Output, R> {
  later(context: PrepareContext<A["memory"]>): Effect.Effect<Answer<Output>, Refusal, R>
}

export interface ReadOperation<A extends ActorTypes, Input, Output, R = never> {
  readonly type: "read"
  /** Changes nothing and waits for no write under way. */
  read(state: A["state"], input: Input, context: AnswerContext): Result<Output> | Later<A, Output, R>
}

type Made<State> = { readonly state: State; readonly refused: Refusal | null }

interface Writing<A extends ActorTypes, Input, Output, Facts, Reply, R> {
  /** Given up at the command's deadline. */
  prepare?(state: A["state"], input: Input, context: PrepareContext<A["memory"]>): Effect.Effect<Facts, Refusal, R>
  decide(state: A["state"], input: Input, context: DecideContext<Facts>): Decision<A["event"], Reply>
  /** Called with facts that a try gathered and did not commit. At best, as `after`; several tries may each tell of theirs. */
  unused?(facts: Facts): Effect.Effect<void, never, R>
  /**
   * A companion's sequence was not the expected one: somebody else has it. Told which, the operation decides
   * what that means; without this, the whole command is tried again from the log.
   */
  contested?(
    state: A["state"],
    input: Input,
    lost: Companion,
    context: DecideContext<Facts>
  ): Decision<A["event"], Reply>
  /**
   * Made of the new state and the commit's reply; also for a repeated command. Without a reply where an answer that is
   * too long to be kept is made anew.
   */
  answer(state: A["state"], reply: Reply, context: AnswerContext): Answer<Output>
  /** True if the answer waits until the read models have the commit. */
  readonly projected?: boolean
  /**
   * Once after a commit, at best: it is lost with the node, and is not awaited. `state`: the new one; `refused`: the
   * commit was one of a refusal.
   */
  after?(input: Input, context: DecideContext<Facts>, made: Made<A["state"]>): Effect.Effect<void, never, R>
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

/** An operation that is neither a read of the state nor a decision on it: it talks to a store of its own. */
export interface CustomOperation<A extends ActorTypes, Input, Output, R = never> {
  readonly type: "custom"
  run(state: A["state"], input: Input, context: PrepareContext<A["memory"]>): Effect.Effect<Answer<Output>, Refusal, R>
}

export type Operation<A extends ActorTypes, Input, Output, R = never> =
  | ReadOperation<A, Input, Output, R>
  | WriteOperation<A, Input, Output, unknown, unknown, R>
  | CustomOperation<A, Input, Output, R>

/** One for each declared operation, with the types of its declaration. */
export type Implemented<Ops extends Readonly<Record<string, Declared>>, A extends ActorTypes, R = never> = {
  readonly [Name in keyof Ops]: Operation<A, Ops[Name]["input"]["Type"], Ops[Name]["output"]["Type"], R>
}

/** As the engine carries it out: what it is asked has the types that the asker was held to. */
export type AnyOperation<R = never> = Operation<ActorTypes, unknown, unknown, R>

/**
 * `R`: the services that its operations reach. Its functions are declared as methods, whose parameters TypeScript lets
 * a more general type stand for: so the engine takes kinds of all types as `ActorDefinition<ActorTypes, R>`.
 */
export interface ActorDefinition<A extends ActorTypes = ActorTypes, R = never> {
  readonly kind: string
  /** The state of an actor to which nothing has happened. */
  readonly initial: A["state"]
  evolve(state: A["state"], event: A["event"], meta: AnswerContext): A["state"]
  /** Versions of each event type that `evolve` understands: the committed inventory of events. */
  readonly events: Readonly<Record<string, number>>
  readonly operations: Readonly<Record<string, Operation<A, unknown, unknown, R>>>
  /** The operation that a fired timer becomes, one for all or by the timer's name; its input is `FiredTimer`. */
  readonly onTimer?: string | ((name: string) => string)
  /**
   * The log forgets such an actor in the end: it has no snapshots, it stands in no table for longer, and its id may begin
   * anew. So its timers and reactions must find nothing to do where there is no state.
   */
  readonly ends?: true
  /**
   * Seconds that the log keeps a commit made at `at` (Unix ms) on this state, for a kind that ends. The first
   * commit of an actor ends before all others: a history that lacks only later ones would say what is no longer so.
   */
  keepSeconds?(state: A["state"], at: number): number
  /** No log at all: what such an actor keeps lies in its memory and in stores of its own. */
  readonly logless?: true
  /** The memory of an activation beside its state, lost with it: rate windows, requests under way. */
  memory?(): A["memory"]
  /** The further consequences of every decision of such an actor, whichever operation made it. Pure. */
  consequences?(state: A["state"], decision: Decision<A["event"]>, context: AnswerContext): Decision<A["event"]>
  /** Judges an ask before its operation, where it is signed or draws on rate limits. */
  readonly gate?: Gate<A>
  /** Counts what commands put into the log: those that are signed, or of a kind that nobody signs for, `metered` ones. */
  readonly meter?: Meter<A["memory"]>
  readonly metered?: ReadonlySet<string>
}

interface Metered<Memory = unknown> {
  readonly id: string
  readonly memory: Memory
}

/**
 * Asked before an append how many bytes are still to be had, told afterwards what was taken: a try that failed costs
 * nothing.
 */
export interface Meter<Memory = unknown> {
  /** Fails with what stands against so many bytes. */
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
   * Resolves when a condition of any change or answer is met (the nonce is in the log); a read may go on meanwhile.
   * False when it could not be done; the answer is then withheld as `unavailable`.
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

/** Custom operations that change something: answers that are remembered for whoever sends the same again. */
const ONCE_KEPT_MS = 15_000
const ONCE_MAX = 20_000

/**
 * One that is carried out once under its command's id: sent again while it is under way, or soon after, it gets the
 * answer of the first. One that was refused has done nothing, and may be tried again.
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
