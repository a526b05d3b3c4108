/** How far a log is done, where its messages are begun in order and done in any. */
export class Progress {
  /** Everything up to this sequence is done. */
  mark: number
  /** By sequence, in order: whether something follows from it, and whether that is done. */
  private readonly open = new Map<number, { readonly counts: boolean; done: boolean }>()
  private passed = 0

  constructor(mark: number) {
    this.mark = mark
  }

  /** `counts`: something follows from it. */
  begin(seq: number, counts: boolean): void {
    this.open.set(seq, { counts, done: !counts })
    this.advance()
  }

  done(seq: number): void {
    const message = this.open.get(seq)
    if (message !== undefined) message.done = true
    this.advance()
  }

  get underWay(): number {
    return this.open.size
  }

  /** Messages that counted and that the mark has passed since this was asked last. */
  takePassed(): number {
    const { passed } = this
    this.passed = 0
    return passed
  }

  private advance(): void {
    for (const [seq, { counts, done }] of this.open) {
      if (!done) return
      this.open.delete(seq)
      this.mark = seq
      if (counts) this.passed++
    }
  }
}
