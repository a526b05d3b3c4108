/**
 * How late this process itself was. A bound on the service's time is measured here, on a machine that other work may
 * share: what the operating system took from the measuring process it may have taken from the service as well, and no
 * more than that is added to a bound. It is the sum: an answer goes through several processes, each of which may have
 * waited.
 */
const TICK_MS = 10
/** A timer is never exact. */
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

  /** All delays in the stretch of time. */
  between(from: number, to: number): number {
    return this.#late.filter(({ at }) => at >= from && at <= to).reduce((sum, { ms }) => sum + ms, 0)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
