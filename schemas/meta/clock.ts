/** Compares the clocks of a deployment, as one check of `GET /health`. Pure. */
import type { Health } from "./api.ts"
import type { Clock } from "./operations.ts"

type Check = NonNullable<Health["checks"]>[string]

/**
 * Clock differences of more than this are reported. A difference of a second means that a clock is not synchronized.
 * Signatures tolerate minutes, leases and timers less.
 */
const CLOCK_WARN_MS = 1000

/** The part of a clock difference that exceeds `give`, the uncertainty caused by the time that messages travel. */
export const unexplained = (difference: number, give: number): number => {
  const left = Math.max(0, Math.round(Math.abs(difference) - give))
  return difference < 0 && left > 0 ? -left : left
}

export const worstClock = (clocks: ReadonlyArray<Clock>, time: string): Check => {
  const worst = clocks.toSorted((a, b) => Math.abs(b.ms) - Math.abs(a.ms))[0]
  const unit = "milliseconds between the node and the clock furthest from it"
  if (worst === undefined)
    return { status: "warn", observed: null, unit, time, message: "no other clock could be asked" }
  const apart = Math.abs(worst.ms)
  const wrong = apart > CLOCK_WARN_MS
  return {
    status: wrong ? "warn" : "pass",
    observed: apart,
    unit,
    time,
    message: wrong ? `${worst.name} is ${worst.ms > 0 ? "ahead" : "behind"}: set the clocks of all machines` : null
  }
}
