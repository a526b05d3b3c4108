/**
 * Limits how many tasks run at the same time. Further tasks wait in a queue. If the queue is full, they are refused, and
 * so are those that have waited for `WAITED_MAX_MS`, because nobody waits for their result any more.
 */
import { machineClock, monotonicMs } from "../../schemas/runtime/clock.ts"

const WAITED_MAX_MS = 3000

export class Lanes {
  private underWay = 0
  private readonly line: Array<() => void> = []
  private readonly max: number
  private readonly waitingMax: number
  private readonly now: () => number

  /** `now`: monotonic ms. */
  constructor(max: number, waitingMax: number, now = () => monotonicMs(machineClock)) {
    this.max = max
    this.waitingMax = waitingMax
    this.now = now
  }

  async run<A>(work: () => Promise<A>): Promise<A> {
    await this.turn()
    try {
      return await work()
    } finally {
      this.next()
    }
  }

  private async turn(): Promise<void> {
    if (this.underWay < this.max) {
      this.underWay++
      return
    }
    if (this.line.length >= this.waitingMax) throw new Error("too much of this kind is under way")
    const began = this.now()
    await new Promise<void>((resolve) => this.line.push(resolve))
    if (this.now() - began < WAITED_MAX_MS) return
    this.next()
    throw new Error("a task of this kind has waited for too long")
  }

  private next(): void {
    const first = this.line.shift()
    if (first === undefined) this.underWay--
    else first()
  }
}
