/**
 * Limits how many tasks run at the same time. Further tasks wait in a queue. If the queue is full, they are refused.
 */
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
    if (this.line.length >= this.waitingMax) throw new Error("too much of this kind is under way")
    await new Promise<void>((resolve) => this.line.push(resolve))
  }

  private next(): void {
    const first = this.line.shift()
    if (first === undefined) this.underWay--
    else first()
  }
}
