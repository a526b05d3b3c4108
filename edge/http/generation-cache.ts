/**
 * A bounded cache that keeps entries in use. It has two maps: when the young one is full, it becomes the old one, and
 * the former old one is dropped. An entry that is found in the old map moves to the young one. The cache never holds
 * more than twice `capacity`. A hit costs one look-up, while a strict least-recently-used order would cost two writes.
 *
 * Values may have weights. `capacity` then limits the sum of weights in a map, and the cache holds at most twice that
 * plus one value for each map.
 */
export class GenerationCache<K, V> {
  private young = new Map<K, V>()
  private old = new Map<K, V>()
  private readonly capacity: number
  private weight = 0
  private readonly weigh: (value: V) => number

  constructor(capacity: number, weigh: (value: V) => number = () => 1) {
    this.capacity = capacity
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
