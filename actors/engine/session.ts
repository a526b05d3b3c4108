/** One session of a node (placement.ts), and all the work that belongs to it. */
import { Effect, type Fiber, FiberMap, FiberSet, Scope, Semaphore } from "effect"

/** `released`: the shard is no longer served, but its key still names this session. */
type ShardPhase = "claiming" | "serving" | "draining" | "released"

export type Run = (effect: Effect.Effect<void>) => Fiber.Fiber<void>

/** The scope holds all work of the session, and that work ends with it. */
export interface Session {
  readonly id: string
  readonly scope: Scope.Closeable
  readonly run: Run
  /** Allows one ping of a peer at a time. */
  readonly pinging: (peer: string, ping: Effect.Effect<void>, options: { onlyIfMissing: true }) => unknown
  /** Allows one beat at a time. */
  readonly beat: Semaphore.Semaphore
  readonly held: Map<number, ShardPhase>
  /** The time of the last answer of each peer, or of the first ping if it has not answered yet. Monotonic ms. */
  readonly heard: Map<string, number>
  revision: number
  /** The time at which the last acknowledged beat was sent, in monotonic ms. */
  sentAt: number
}

/** Opens a session, which ends with the outer scope at the latest. */
export const openSession = (id: string, outer: Scope.Scope): Effect.Effect<Session> =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(outer)
    const run = yield* Scope.provide(FiberSet.makeRuntime<never, void, never>(), scope)
    const pinging = yield* Scope.provide(FiberMap.makeRuntime<never, string, never, void>(), scope)
    const beat = Semaphore.makeUnsafe(1)
    return { id, scope, run, pinging, beat, held: new Map(), heard: new Map(), revision: 0, sentAt: 0 }
  })
