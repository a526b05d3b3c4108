import type { Clock } from "effect"
import { after, monotonicMs } from "../clock.ts"

/**
 * Paces a flush: at once where the last one is a while ago, else `gapMs` after it. Messages that arrive meanwhile leave
 * together. A lone message waits for nothing; under load there are fewer and larger ones, and each costs a system call
 * on both sides and in the server between.
 */
export const paced = (clock: Clock.Clock, flush: () => void, gapMs: number): (() => void) => {
  let scheduled = false
  let last = Number.NEGATIVE_INFINITY
  const run = (): void => {
    scheduled = false
    last = monotonicMs(clock)
    flush()
  }
  return () => {
    if (scheduled) return
    scheduled = true
    if (monotonicMs(clock) - last >= gapMs) setImmediate(run)
    else after(clock, gapMs, run)
  }
}
