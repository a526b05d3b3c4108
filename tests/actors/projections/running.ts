/** Projectors started and stopped by a test. */
import { type Clock, Effect, Fiber } from "effect"
import { processLog } from "../../../schemas/runtime/log/log.ts"
import type { Projector } from "../../../actors/projections/projector.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { onClock } from "../../harness/index.ts"

export interface Running {
  readonly projector: Projector
  readonly stop: () => Promise<unknown>
}

export const started = (projector: Projector, clock: Clock.Clock = machineClock): Running => {
  const fiber = Effect.runFork(onClock(clock)(Effect.provide(projector.run, processLog.logging)))
  return { projector, stop: () => Effect.runPromise(Fiber.interrupt(fiber)) }
}
