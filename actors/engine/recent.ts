/**
 * Remembers recent work by id, for askers that repeat an ask after no answer came. It has two generations, and the
 * older one is dropped as a whole. An id is known for at least `keepMs` and at most twice as long, unless more than
 * `max` were added meanwhile.
 */
export class Recent<T> {
  private young = new Map<string, T>()
  private old = new Map<string, T>()
  private bornAt = Number.NEGATIVE_INFINITY
  private readonly keepMs: number
  private readonly max: number

  constructor(keepMs: number, max: number) {
    this.keepMs = keepMs
    this.max = max
  }

  get size(): number {
    return this.young.size + this.old.size
  }

  /** `now`: monotonic time in ms. */
  get(id: string, now: number): T | undefined {
    this.age(now)
    // A remembered value may be `null`, and it hides an older one.
    return this.young.has(id) ? this.young.get(id) : this.old.get(id)
  }

  set(id: string, value: T, now: number): void {
    this.age(now)
    if (this.young.size >= this.max) this.turn(now)
    this.young.set(id, value)
  }

  delete(id: string): void {
    this.young.delete(id)
    this.old.delete(id)
  }

  private age(now: number): void {
    const age = now - this.bornAt
    if (age < this.keepMs) return
    const isLong = age >= 2 * this.keepMs
    this.turn(isLong ? now : this.bornAt + this.keepMs)
    if (isLong) this.old = new Map()
  }

  private turn(bornAt: number): void {
    this.old = this.young
    this.young = new Map()
    this.bornAt = bornAt
  }
}
