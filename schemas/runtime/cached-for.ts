import type { Clock } from "effect"
import { monotonicMs } from "./clock.ts"

/**
 * All callers within `everyMs` get the same answer, even before it is complete. After a failure the next caller tries
 * again.
 */
export const cachedFor = <T>(clock: Clock.Clock, make: () => Promise<T>, everyMs: number): (() => Promise<T>) => {
  let last: { readonly at: number; readonly made: Promise<T> } | null = null
  return () => {
    const now = monotonicMs(clock)
    if (last !== null && now - last.at < everyMs) return last.made
    const begun = { at: now, made: make() }
    last = begun
    begun.made.catch(() => {
      if (last === begun) last = null
    })
    return begun.made
  }
}
