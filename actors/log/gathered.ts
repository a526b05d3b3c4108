/**
 * Collects items of work and does them in batches. Items that arrive while a batch is under way make up the next one.
 */
import { delay, machineClock, monotonicMs } from "../../schemas/runtime/clock.ts"

interface Bounds {
  readonly together: number
  readonly waiting: number
  /** The smallest gap in ms between the starts of two batches, by the machine's clock. The first does not wait. */
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

  /** `act` carries out a batch. It resolves to a function that returns the outcome of each item. */
  constructor(bounds: Bounds, act: (items: ReadonlyArray<Item>) => Promise<(item: Item) => Outcome>) {
    this.bounds = bounds
    this.act = act
  }

  /** Rejects if the item's batch fails, or if too many items wait. */
  do(item: Item): Promise<Outcome> {
    if (this.queue.length >= this.bounds.waiting) return Promise.reject(new Error("too many wait already"))
    return new Promise((resolve, reject) => {
      this.queue.push({ item, resolve, reject })
      if (this.busy) return
      this.busy = true
      // Items that arrive in the same turn of the event loop join the batch.
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
