/**
 * Shares checks among callers. One check runs at a time, and at most one waits. Each caller gets the result of a check
 * that began after its call.
 */
export class SharedLook<A> {
  private readonly look: () => Promise<A>
  private current: Promise<unknown> | null = null
  private waiting: Promise<A> | null = null

  constructor(look: () => Promise<A>) {
    this.look = look
  }

  next(): Promise<A> {
    if (this.waiting !== null) return this.waiting
    if (this.current === null) return this.begin()
    this.waiting = this.current.then(() => this.begin())
    return this.waiting
  }

  private begin(): Promise<A> {
    this.waiting = null
    const seen = this.look()
    const over = (): void => {
      if (this.current === settled) this.current = null
    }
    const settled: Promise<unknown> = seen.then(over, over)
    this.current = settled
    return seen
  }
}
