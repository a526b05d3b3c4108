/** A cache by name with a limit in bytes. The least recently used entry is dropped first. */
export class ByteCache<V> {
  /** Ordered by last use. */
  private readonly byName = new Map<string, V>()
  private readonly maxBytes: number
  private readonly weigh: (value: V) => number
  private bytes = 0

  /** `weigh` returns the size of a value in bytes. */
  constructor(maxBytes: number, weigh: (value: V) => number) {
    this.maxBytes = maxBytes
    this.weigh = weigh
  }

  get(name: string): V | undefined {
    const kept = this.byName.get(name)
    if (kept === undefined) return undefined
    this.byName.delete(name)
    this.byName.set(name, kept)
    return kept
  }

  set(name: string, value: V): void {
    this.delete(name)
    this.byName.set(name, value)
    this.bytes += this.weigh(value)
    for (const oldest of this.byName.keys()) {
      if (this.bytes <= this.maxBytes) break
      this.delete(oldest)
    }
  }

  delete(name: string): void {
    const kept = this.byName.get(name)
    if (kept === undefined) return
    this.byName.delete(name)
    this.bytes -= this.weigh(kept)
  }
}
