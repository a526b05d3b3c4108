import type { Clock } from "effect"
import { after, monotonicMs } from "../clock.ts"

/**
 * The most lines of one place and level in a second, because a stranger who can cause a line can cause it often. One
 * more line counts the others.
 *
 * The content of lines is not compared: a stranger could make each line different.
 */
export const SAME_MAX_PER_SECOND = 20
const SECOND_MS = 1000
/** Places are words in the code. All places beyond this number share one count. */
const PLACES_MAX = 256
const OTHERS = "others"

interface Second {
  endsAt: number
  lines: number
}

export class Repeats {
  private readonly clock: Clock.Clock
  private readonly seconds = new Map<string, Second>()

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /**
   * True if one more line may be written. If lines were left out, `told` is called with their number at the end of the
   * second.
   */
  admits(place: string, told: (suppressed: number) => void): boolean {
    const now = monotonicMs(this.clock)
    const second = this.secondOf(place, now)
    second.lines++
    if (second.lines <= SAME_MAX_PER_SECOND) return true
    if (second.lines === SAME_MAX_PER_SECOND + 1)
      after(this.clock, second.endsAt - now, () => told(second.lines - SAME_MAX_PER_SECOND), "unref")
    return false
  }

  private secondOf(place: string, now: number): Second {
    const key = this.seconds.has(place) || this.seconds.size < PLACES_MAX ? place : OTHERS
    const current = this.seconds.get(key)
    if (current !== undefined && now < current.endsAt) return current
    const next = { endsAt: now + SECOND_MS, lines: 0 }
    this.seconds.set(key, next)
    return next
  }
}
