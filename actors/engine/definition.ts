/**
 * How an actor kind is declared: its state, its events with `evolve`, its operations with `decide`.
 * `decide` and `evolve` are pure: no clock, no randomness, no bus, no SQL. Time comes in `at`; whatever else a decision
 * needs of the world comes in as facts, gathered by `prepare` before the decision.
 *
 * `prepare`, `after` and operations of a kind's own are Effects: they fail with the refusal that is to be answered, and
 * say in their type (`R`) which services they reach. All of them may be interrupted before the append: when the node
 * loses the actor's shard, whatever they wait for is given up.
 */
import { Deferred, Effect, Exit } from "effect"
import type { Ask, RateState, SignedBy } from "../../schemas/bus/frames.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { Recent } from "./recent.ts"

/** A past-tense, absolute fact ("name is now X", not "changed by"). `v` counts the versions of its shape. */
export interface EventShape {
  readonly type: string
  readonly v: number
}

/** Events for another actor in the same commit, all or nothing. */
export interface Companion {
  readonly kind: string
  readonly id: string
  /** The sequence that actor must stand at: 0 where nobody may have written to it. */
  readonly expected: number
  readonly events: ReadonlyArray<EventShape>
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

export type Decision<Event extends EventShape = EventShape> =
  | { readonly refused: Refusal; readonly events?: ReadonlyArray<Event> }
  | {
      readonly events: ReadonlyArray<Event>
      /** Kept in the commit, so that a repeated command gets it again. Never a secret in the clear. */
      readonly reply?: unknown
      readonly also?: ReadonlyArray<Companion>
      /** Set before the commit: a timer may fire for nothing, but is never missing, and changes no other. */
      readonly timers?: ReadonlyArray<Timer>
    }

/** What the id of a fired timer's command begins with. */
export const TIMER_COMMAND = "timer-"

export interface FiredTimer {
  readonly name: string
  /** Unix ms for which it was set; absent where an older release has set it. */
  readonly at?: number | undefined
}

/** Whether a timer is the one that is waited for: no clock is asked, for it fires by the server's. */
export const isDue = (fired: FiredTimer, due: number): boolean => fired.at === undefined || fired.at === wholeMs(due)

/** How far the bus's clock, which fires timers, may be ahead of a node's. */
const CLOCK_AHEAD_MAX_MS = 300_000

/**
 * What a fired timer is to a state that waits for `due`: its time has come; it has not by this node's clock, and the
 * timer must come again; or it is another's. One that does not say for when it was set is ours within what clocks may
 * differ.
 */
export const firing = (fired: FiredTimer, due: number, at: number): "due" | "early" | "another" => {
  if (!isDue(fired, due)) return "another"
  if (at >= due) return "due"
  return fired.at !== undefined || due - at <= CLOCK_AHEAD_MAX_MS ? "early" : "another"
}

/** Timers are set for whole milliseconds, never earlier than they were asked for. */
export const wholeMs = (at: number): number => Math.ceil(at)

export interface DecideContext<Facts> {
  /** Unix ms. */
  readonly at: number
  readonly id: string
  /** Sequence of the last commit on this actor's subject; 0 when there is none. */
  readonly seq: number
  readonly facts: Facts
}

export interface ReadOperation<State, Input> {
  readonly type: "read"
  /** The answer's `data`, or a refusal. Reads change nothing and wait for no write under way. */
  readonly answer: (state: State, input: Input, context: { readonly id: string; readonly at: number }) => Result
}

export interface WriteOperation<State, Input, Event extends EventShape, Facts, R = never> {
  readonly type: "write"
  /** Given up at the command's deadline. */
  readonly prepare?: (state: State, input: Input, context: PrepareContext) => Effect.Effect<Facts, Refusal, R>
  readonly decide: (state: State, input: Input, context: DecideContext<Facts>) => Decision<Event>
  /**
   * A companion's sequence was not the expected one: somebody else has it. Told which, the operation decides
   * what that means; without this, the whole command is tried again from the log.
   */
  readonly contested?: (state: State, input: Input, lost: Companion, context: DecideContext<Facts>) => Decision<Event>
  /** The answer's `data`, made of the new state and the commit's reply; also for a repeated command. */
  readonly answer: (state: State, reply: unknown, context: { readonly id: string; readonly at: number }) => unknown
  /** Whether the answer waits until the read models have the commit. */
  readonly projected?: boolean
  /**
   * Once after a commit, at best: it is lost with the node, and is not awaited. `refused`: the commit was one of a
   * refusal.
   */
  readonly after?: (
    input: Input,
    context: DecideContext<Facts>,
    refused: Refusal | null
  ) => Effect.Effect<void, never, R>
}

/** An operation that is neither a read of the state nor a decision on it: it talks to a store of its own. */
export interface CustomOperation<State, Input, R = never> {
  readonly type: "custom"
  /** The answer's `data`. */
  readonly run: (state: State, input: Input, context: PrepareContext) => Effect.Effect<unknown, Refusal, R>
}

/** What a read answers, at once and without a fiber. */
export type Result = { readonly data: unknown } | { readonly refused: Refusal }

export interface PrepareContext {
  readonly id: string
  readonly at: number
  readonly seq: number
  readonly commandId: string
  /** Unix ms. */
  readonly deadline: number
  /** What the activation keeps beside its state, see `ActorDefinition.memory`. */
  readonly memory: unknown
  /** For asks of other actors: they are steps of the same trace. */
  readonly traceparent?: string | undefined
  /** Who signed the request that asks, where anybody did. */
  readonly by?: SignedBy | undefined
}

export type Operation<State, Event extends EventShape, R = never> =
  | ReadOperation<State, never>
  | WriteOperation<State, never, Event, never, R>
  | CustomOperation<State, never, R>

/** `R`: the services that its operations reach. */
export interface ActorDefinition<State = unknown, Event extends EventShape = EventShape, R = never> {
  readonly kind: string
  /** The state of an actor to which nothing has happened. */
  readonly initial: State
  readonly evolve: (state: State, event: Event, meta: { readonly at: number; readonly id: string }) => State
  /** Versions of each event type that `evolve` understands: the committed inventory of events. */
  readonly events: Readonly<Record<string, number>>
  readonly operations: Readonly<Record<string, Operation<State, Event, R>>>
  /** The operation that a fired timer becomes, one for all or by the timer's name; its input is `FiredTimer`. */
  readonly onTimer?: string | ((name: string) => string)
  /** How long the log keeps each commit of such an actor; absent: for good. */
  readonly keepSeconds?: number
  /** No log at all: what such an actor keeps lies in its memory and in stores of its own. */
  readonly logless?: true
  /** What an activation keeps beside its state, lost with it: rate windows, requests under way. */
  readonly memory?: () => unknown
  /** Judges an ask before its operation, where it is signed or draws on rate limits. */
  readonly gate?: Gate<State>
  /** Counts what signed commands put into the log. */
  readonly meter?: Meter
}

export interface Metered {
  readonly id: string
  readonly memory: unknown
}

/**
 * Asked before an append how many bytes are still to be had, told afterwards what was taken: a try that failed costs
 * nothing.
 */
export interface Meter {
  /** Fails with what stands against so many bytes. */
  readonly admit: (bytes: number, of: Metered) => Effect.Effect<void, Refusal>
  readonly spent: (bytes: number, of: Metered) => void
}

export type GateVerdict =
  | { readonly pass: true; readonly rate?: RateState | undefined }
  | { readonly pass: false; readonly refused: Refusal; readonly rate?: RateState | undefined }
  | { readonly moved: string }

export interface Judgement {
  readonly verdict: GateVerdict | Promise<GateVerdict>
  /**
   * What must be true before anything is changed or answered (the nonce is in the log): a read may go on meanwhile.
   * False when it could not be done; the answer is then withheld as `unavailable`.
   */
  readonly recorded?: Promise<boolean>
}

export interface Gate<State> {
  readonly judge: (
    ask: Ask,
    activation: { readonly state: State; readonly memory: unknown },
    writes: boolean
  ) => Judgement
}

export const read = <State, Input>(answer: ReadOperation<State, Input>["answer"]): ReadOperation<State, never> =>
  ({ type: "read", answer }) as ReadOperation<State, never>

export const write = <State, Input, Event extends EventShape, Facts = null, R = never>(
  operation: Omit<WriteOperation<State, Input, Event, Facts, R>, "type">
): WriteOperation<State, never, Event, never, R> =>
  ({ type: "write", ...operation }) as unknown as WriteOperation<State, never, Event, never, R>

/** Custom operations that change something: answers that are remembered for whoever sends the same again. */
const ONCE_KEPT_MS = 15_000
const ONCE_MAX = 20_000

/**
 * One that is carried out once under its command's id: sent again while it is under way, or soon after, it gets the
 * answer of the first. One that was refused has done nothing, and may be tried again.
 */
export const once = <State, Input, R>(
  run: CustomOperation<State, Input, R>["run"]
): CustomOperation<State, never, R> => {
  const recent = new Recent<Deferred.Deferred<unknown, Refusal>>(ONCE_KEPT_MS, ONCE_MAX)
  return custom<State, Input, R>((state, input, context) =>
    Effect.suspend(() => {
      const key = `${context.id} ${context.commandId}`
      const now = performance.now()
      const known = recent.get(key, now)
      if (known !== undefined) return Deferred.await(known)
      const first = Deferred.makeUnsafe<unknown, Refusal>()
      recent.set(key, first, now)
      return Effect.onExit(run(state, input, context), (exit) => {
        if (Exit.isFailure(exit)) recent.delete(key)
        return Deferred.done(first, exit)
      })
    })
  )
}

export const custom = <State, Input, R = never>(
  run: CustomOperation<State, Input, R>["run"]
): CustomOperation<State, never, R> => ({ type: "custom", run }) as CustomOperation<State, never, R>
