/** Projectors started and stopped by a test. */
import { Effect, Fiber } from "effect"
import { processLog } from "../../../schemas/runtime/log/log.ts"
import type { Projector } from "../../../actors/projections/projector.ts"

export interface Running {
  readonly projector: Projector
  readonly stop: () => Promise<unknown>
}

export const started = (projector: Projector): Running => {
  const fiber = Effect.runFork(Effect.provide(projector.run, processLog.logging))
  return { projector, stop: () => Effect.runPromise(Fiber.interrupt(fiber)) }
}
