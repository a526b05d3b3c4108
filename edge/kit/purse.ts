/** A part of this process's time, for work that strangers cause. */

const TIME_SHARE = 0.1
const BURST_MS = 1_000

export class Purse {
  /** Milliseconds that may be spent; below zero after long work. */
  private credit = BURST_MS
  private creditAt: number

  constructor(now: number) {
    this.creditAt = now
  }

  empty(now: number): boolean {
    this.credit = Math.min(BURST_MS, this.credit + (now - this.creditAt) * TIME_SHARE)
    this.creditAt = now
    return this.credit <= 0
  }

  spend(ms: number): void {
    this.credit -= ms
  }
}
