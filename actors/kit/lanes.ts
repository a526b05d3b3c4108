/**
 * Limits how many tasks run at the same time. Further tasks wait in a queue. If the queue is full, they are refused as
 * overloaded, and were not begun.
 */
import type { Refusal } from "../../schemas/errors.ts"
import { QueryRefused } from "../queries/refused.ts"

const TOO_MANY: Refusal = {
  code: "overloaded",
  message: "Too much of this kind is under way. Try again in a little while.",
  retryAfter: 2
}

export class Lanes {
  private underWay = 0
  private readonly line: Array<() => void> = []
  private readonly max: number
  private readonly waitingMax: number

  constructor(max: number, waitingMax: number) {
    this.max = max
    this.waitingMax = waitingMax
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
    if (this.line.length >= this.waitingMax) throw new QueryRefused(TOO_MANY)
    await new Promise<void>((resolve) => this.line.push(resolve))
  }

  private next(): void {
    const first = this.line.shift()
    if (first === undefined) this.underWay--
    else first()
  }
}
