/** The pause that the hub asks for with `Retry-After`. */
import { BOUNDS } from "./bounds.ts"
import type { FetchResponse } from "./interface.ts"

/** The pause that the hub asks for, as seconds or as a date, with a bound. */
export class Pause {
  private until = 0

  heed(response: FetchResponse, now: number): void {
    if (response.status !== 429 && response.status !== 503) return
    const text = response.headers.get("retry-after") ?? ""
    const ms = /^[0-9]{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
    if (ms > 0) this.until = now + Math.min(ms, BOUNDS.retryAfterMaxSeconds * 1000)
  }

  /** A pause does not last if the clock was set back by more than the longest pause. */
  lasts(now: number): boolean {
    return now < this.until && this.until - now <= BOUNDS.retryAfterMaxSeconds * 1000
  }
}
