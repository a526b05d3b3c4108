/** A scope that a test controls. */
import { Effect, Exit, Scope } from "effect"

export interface TestScope {
  /** Runs an effect whose resources stay open until the scope is closed. */
  readonly make: <A>(effect: Effect.Effect<A, unknown, Scope.Scope>) => Promise<A>
  readonly makeSync: <A>(effect: Effect.Effect<A, unknown, Scope.Scope>) => A
  readonly close: () => Promise<void>
}

export const openScope = (): TestScope => {
  const scope = Scope.makeUnsafe()
  return {
    make: (effect) => Effect.runPromise(Scope.provide(effect, scope)),
    makeSync: (effect) => Effect.runSync(Scope.provide(effect, scope)),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
