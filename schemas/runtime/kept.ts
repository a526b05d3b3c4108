/** An answer that all who ask within a time share. */
import type { Clock } from "effect"
import { monotonicMs } from "./clock.ts"

/** The same for all who ask within `everyMs`, also while it is made. The next caller tries again after a failure. */
export const kept = <T>(clock: Clock.Clock, make: () => Promise<T>, everyMs: number): (() => Promise<T>) => {
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
