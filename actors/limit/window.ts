/** A fixed window that begins with its first draw. Rate limits (spec 8) have this form. Pure. */
import type { RateLimit } from "../../schemas/limit/bucket.ts"

export interface Window {
  /** Unix ms. */
  readonly from: number
  readonly used: number
  /** The part of `used` that callers with a bound of their own have drawn (day-bytes.ts). */
  readonly part?: number
  /**
   * The newest commands that drew from this window, with the units that each got; 0 if they were returned. They are
   * stored because a killed node loses its memory, and its callers ask again.
   */
  readonly commands?: ReadonlyArray<readonly [id: string, granted: number]>
}

/** The number of commands that may be under way between a kill and the retries after it. */
const COMMANDS_MAX = 8

export const withCommand = (window: Window, id: string, granted: number): Window => ({
  ...window,
  commands: [...(window.commands ?? []).filter(([known]) => known !== id), [id, granted] as const].slice(-COMMANDS_MAX)
})

/** The units that the command got from this window; `undefined` if the window does not know the command. */
export const grantedTo = (window: Window | null, id: string): number | undefined =>
  window?.commands?.find(([known]) => known === id)?.[1]

export interface Draw {
  readonly granted: number
  readonly remaining: number
  /** Unix ms at which the window ends. */
  readonly resetsAt: number
  readonly window: Window
}

export const draw = (window: Window | null, limit: RateLimit, wanted: number, now: number): Draw => {
  const length = limit.window_seconds * 1000
  const current: Window = window !== null && now < window.from + length ? window : { from: now, used: 0 }
  const granted = Math.max(0, Math.min(wanted, limit.requests - current.used))
  const used = current.used + granted
  return {
    granted,
    remaining: Math.max(0, limit.requests - used),
    resetsAt: current.from + length,
    window: { ...current, used }
  }
}
