/** A fixed window that begins with its first draw: the shape of every rate limit of spec 8. Pure. */
import type { RateLimit } from "../../schemas/limit/bucket.ts"

export interface Window {
  /** Unix ms. */
  readonly from: number
  readonly used: number
}

export interface Draw {
  readonly granted: number
  readonly remaining: number
  /** Unix ms at which the window ends. */
  readonly resetsAt: number
  readonly window: Window
}

export const draw = (window: Window | null, limit: RateLimit, wanted: number, now: number): Draw => {
  const length = limit.window_seconds * 1000
  const current = window !== null && now < window.from + length ? window : { from: now, used: 0 }
  const granted = Math.max(0, Math.min(wanted, limit.requests - current.used))
  const used = current.used + granted
  return {
    granted,
    remaining: Math.max(0, limit.requests - used),
    resetsAt: current.from + length,
    window: { from: current.from, used }
  }
}
