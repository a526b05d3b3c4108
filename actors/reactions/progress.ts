/** Tracks progress in a log whose messages begin in order and end in any. */
export class Progress {
  /** The last message that came. */
  private seen: number
  /** From which something follows that is not done yet, in order: what came before each, and whether it is done. */
  private readonly open = new Map<number, { readonly before: number; done: boolean }>()
  private passed = 0

  constructor(mark: number) {
    this.seen = mark
  }

  /** Everything up to this sequence is done. */
  get mark(): number {
    for (const { before } of this.open.values()) return before
    return this.seen
  }

  /** Messages from which something follows, and that the mark has not passed. */
  get underWay(): number {
    return this.open.size
  }

  /** Nothing follows from it, nor from what lies before it and did not come. */
  pass(seq: number): void {
    this.seen = Math.max(this.seen, seq)
  }

  begin(seq: number): void {
    this.open.set(seq, { before: this.seen, done: false })
    this.seen = seq
  }

  done(seq: number): void {
    const begun = this.open.get(seq)
    if (begun !== undefined) begun.done = true
    for (const [first, { done }] of this.open) {
      if (!done) return
      this.open.delete(first)
      this.passed++
    }
  }

  /** Messages that were begun, and that the mark has passed since this was asked last. */
  takePassed(): number {
    const { passed } = this
    this.passed = 0
    return passed
  }
}
