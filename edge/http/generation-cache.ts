/**
 * A bounded cache that keeps what is used: two maps, and when the young one is full it becomes the old one and the old
 * one is forgotten. An entry that is found in the old one moves over. Never holds more than twice `capacity`, and a hit
 * costs one look-up, where a strict least-recently-used order would cost two writes.
 *
 * Values may weigh differently: `capacity` is then that of their weights, and what is held at most is twice that and
 * one value for each map.
 */
export class GenerationCache<K, V> {
  private young = new Map<K, V>()
  private old = new Map<K, V>()
  private readonly capacity: number
  /** The weight of the young map. */
  private weight = 0
  private readonly weigh: (value: V) => number
  /** Told of what is forgotten, so that it can be given back where it was borrowed. */
  private readonly forget: ((value: V) => void) | undefined

  constructor(capacity: number, forget?: (value: V) => void, weigh: (value: V) => number = () => 1) {
    this.capacity = capacity
    this.forget = forget
    this.weigh = weigh
  }

  get(key: K): V | undefined {
    const found = this.young.get(key)
    if (found !== undefined) return found
    const older = this.old.get(key)
    if (older === undefined) return undefined
    this.old.delete(key)
    this.set(key, older)
    return older
  }

  set(key: K, value: V): void {
    if (this.weight >= this.capacity) {
      if (this.forget !== undefined) for (const gone of this.old.values()) this.forget(gone)
      this.old = this.young
      this.young = new Map()
      this.weight = 0
    }
    const before = this.young.get(key)
    this.weight += this.weigh(value) - (before === undefined ? 0 : this.weigh(before))
    this.young.set(key, value)
  }

  get size(): number {
    return this.young.size + this.old.size
  }
}
