/** One session of a node (placement.ts), and all that is done in its name. */
import { Effect, type Fiber, FiberMap, FiberSet, Scope, Semaphore } from "effect"

/** `released`: no longer served, its key not yet given back. */
type Held = "claiming" | "serving" | "draining" | "released"

export type Run = (effect: Effect.Effect<void>) => Fiber.Fiber<void>

/** Its scope holds all that is done in its name: with the session, it ends. */
export interface Session {
  readonly id: string
  readonly scope: Scope.Closeable
  readonly run: Run
  /** One ping of a peer at a time. */
  readonly pinging: (peer: string, ping: Effect.Effect<void>, options: { onlyIfMissing: true }) => unknown
  /** One beat at a time. */
  readonly beat: Semaphore.Semaphore
  readonly held: Map<number, Held>
  /** When each peer was heard last. */
  readonly heard: Map<string, number>
  revision: number
  /** When the last acknowledged beat was sent. */
  sentAt: number
}

/** It ends with the outer scope at the latest. */
export const openSession = (id: string, outer: Scope.Scope): Effect.Effect<Session> =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(outer)
    const run = yield* Scope.provide(FiberSet.makeRuntime<never, void, never>(), scope)
    const pinging = yield* Scope.provide(FiberMap.makeRuntime<never, string, never, void>(), scope)
    const beat = Semaphore.makeUnsafe(1)
    return { id, scope, run, pinging, beat, held: new Map(), heard: new Map(), revision: 0, sentAt: 0 }
  })
