/**
 * The signals for one waiting request: there may be something newer, its right to read may have ended, or it must end.
 */
import type { Clock } from "effect"
import { after, monotonicMs } from "../../schemas/runtime/clock.ts"
export class Waking {
  /** Id of the newest notification that was reported. */
  newest = 0
  /** True if the agent's account changed since this was last reset. */
  accountChanged = false
  /**
   * True if the request must end soon: the edge stops, the client has disconnected, or another request took its place.
   */
  over = false
  private readonly clock: Clock.Clock
  private resolve: (() => void) | null = null

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** Resolves when `ready` holds, when the request must end, or after `ms`. */
  async wait(ms: number, ready: () => boolean): Promise<void> {
    const until = monotonicMs(this.clock) + ms
    while (!this.over && !ready()) {
      const left = until - monotonicMs(this.clock)
      if (left <= 0) return
      await this.woken(left)
    }
  }

  heard(newest: number): void {
    if (newest <= this.newest) return
    this.newest = newest
    this.wake()
  }

  judge(): void {
    this.accountChanged = true
    this.wake()
  }

  end(): void {
    this.over = true
    this.wake()
  }

  private wake(): void {
    this.resolve?.()
  }

  private woken(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = after(this.clock, ms, () => this.wake())
      this.resolve = () => {
        cancel()
        this.resolve = null
        resolve()
      }
    })
  }
}
