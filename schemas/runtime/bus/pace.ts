import type { Clock } from "effect"
import { after, monotonicMs } from "../clock.ts"

/**
 * Limits how often a flush runs. The returned function schedules one: in the next turn of the event loop if the last
 * flush was at least `gapMs` ago, otherwise after `gapMs`. Items that arrive until then are sent in one message.
 *
 * So a single item is not delayed, and under load there are fewer and larger messages. Each message costs system calls
 * on both sides and in the server.
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
