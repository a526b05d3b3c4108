import type { Clock } from "effect"
import { after, monotonicMs } from "../clock.ts"

/**
 * Paces a flush: it runs at once if the last flush was at least `gapMs` ago, else in `gapMs`. Messages that arrive
 * meanwhile are sent together. A lone message does not wait. Under load there are fewer and larger messages, and each
 * costs a system call on both sides and in the server.
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
