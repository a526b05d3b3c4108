/** Tracks progress in a log whose messages are begun in order but may end in any order. */
export class Progress {
  /** The last sequence that was received or passed. */
  private seen: number
  /** Messages with unfinished commands, in order: the sequence before each, and whether it is done. */
  private readonly open = new Map<number, { readonly before: number; done: boolean }>()
  private passed = 0

  constructor(mark: number) {
    this.seen = mark
  }

  /** All messages up to this sequence are done. */
  get mark(): number {
    for (const { before } of this.open.values()) return before
    return this.seen
  }

  /** Number of messages with consequences that the mark has not passed. */
  get underWay(): number {
    return this.open.size
  }

  /** Records that this message has no commands, and neither have earlier ones that were not received. */
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

  /** Number of begun messages that the mark has passed since the last call. */
  takePassed(): number {
    const { passed } = this
    this.passed = 0
    return passed
  }
}
