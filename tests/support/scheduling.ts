/**
 * Measures how late this process was. Bounds on the service's time are measured here, on a machine with other work. If
 * the operating system delayed the measuring process, it may have delayed the service as much, so this delay is added
 * to a bound. It is a sum, because an answer passes through several processes, each of which may have waited.
 */
const TICK_MS = 10
/** Timers are never exact, so smaller delays do not count. */
const EXACT_MS = 3

export class SchedulingDelay {
  readonly #late: Array<{ readonly at: number; readonly ms: number }> = []
  readonly #timer: NodeJS.Timeout
  #expected = performance.now() + TICK_MS

  constructor() {
    this.#timer = setInterval(() => this.#tick(), TICK_MS)
    this.#timer.unref()
  }

  #tick(): void {
    const now = performance.now()
    if (now - this.#expected > EXACT_MS) this.#late.push({ at: now, ms: now - this.#expected })
    this.#expected = now + TICK_MS
  }

  /** The sum of all delays in a period. */
  between(from: number, to: number): number {
    return this.#late.filter(({ at }) => at >= from && at <= to).reduce((sum, { ms }) => sum + ms, 0)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
