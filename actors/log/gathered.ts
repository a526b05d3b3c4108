/**
 * Work of one sort that comes item by item and is done in batches: whatever comes while a batch is under way makes the
 * next one.
 */
import { delay, machineClock, monotonicMs } from "../../schemas/runtime/clock.ts"

interface Bounds {
  /** Items of one batch. */
  readonly together: number
  /** Items that wait. */
  readonly waiting: number
  /** Batches begin at least this far apart, by the machine's time. The first waits for nothing. */
  readonly gapMs?: number
}

interface Waiting<Item, Outcome> {
  readonly item: Item
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

export class Gathered<Item, Outcome> {
  private queue: Array<Waiting<Item, Outcome>> = []
  private busy = false
  private lastAt = Number.NEGATIVE_INFINITY
  private readonly bounds: Bounds
  private readonly act: (items: ReadonlyArray<Item>) => Promise<(item: Item) => Outcome>

  /** `act`: does a batch, and says what came of each item. */
  constructor(bounds: Bounds, act: (items: ReadonlyArray<Item>) => Promise<(item: Item) => Outcome>) {
    this.bounds = bounds
    this.act = act
  }

  /** Rejects where the item's batch fails, and where too many wait. */
  do(item: Item): Promise<Outcome> {
    if (this.queue.length >= this.bounds.waiting) return Promise.reject(new Error("too many wait already"))
    return new Promise((resolve, reject) => {
      this.queue.push({ item, resolve, reject })
      if (this.busy) return
      this.busy = true
      // With it goes whatever else this turn of the event loop brings.
      setImmediate(() => void this.pump())
    })
  }

  private async pump(): Promise<void> {
    while (this.queue.length > 0) {
      const early = this.lastAt + (this.bounds.gapMs ?? 0) - monotonicMs(machineClock)
      if (early > 0) await delay(machineClock, early)
      this.lastAt = monotonicMs(machineClock)
      const batch = this.queue.slice(0, this.bounds.together)
      this.queue = this.queue.slice(this.bounds.together)
      try {
        const outcomeOf = await this.act(batch.map(({ item }) => item))
        for (const { item, resolve } of batch) resolve(outcomeOf(item))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.busy = false
  }
}
