/** A bounded queue that keeps the newest items in order. If it is full, the oldest item is dropped. */
export class NewestQueue<T> {
  private readonly slots: Array<T | undefined>
  private head = 0
  private count = 0

  constructor(max: number) {
    this.slots = Array.from({ length: max })
  }

  get size(): number {
    return this.count
  }

  /** False if the oldest item was dropped. */
  push(item: T): boolean {
    const { slots } = this
    const full = this.count === slots.length
    slots[(this.head + this.count) % slots.length] = item
    if (full) this.head = (this.head + 1) % slots.length
    else this.count++
    return !full
  }

  /** Takes the oldest items, up to `max` of them. */
  take(max: number): ReadonlyArray<T> {
    const taken: Array<T> = []
    while (taken.length < max && this.count > 0) {
      taken.push(this.slots[this.head] as T)
      this.slots[this.head] = undefined
      this.head = (this.head + 1) % this.slots.length
      this.count--
    }
    return taken
  }

  /** Puts items back as the oldest. Returns the number of items without room; the newest of them are kept. */
  putBack(items: ReadonlyArray<T>): number {
    const { slots } = this
    const room = Math.min(items.length, slots.length - this.count)
    for (let index = items.length - 1; index >= items.length - room; index--) {
      this.head = (this.head + slots.length - 1) % slots.length
      slots[this.head] = items[index]
      this.count++
    }
    return items.length - room
  }
}
