/**
 * A copy of the lease bucket, as this process last received it (actors/engine/placement.ts describes placement). The
 * key `node.<session>` exists while that node renews it. The key `shard.<n>` has the session that owns the shard as its
 * value. The value is empty after the owner has given the shard back.
 */
import { buckets, SHARD_COUNT } from "../../subjects.ts"
import type { Owners } from "./asker.ts"

/** The prefix of each key's subject. */
export const LEASE_PREFIX = `$KV.${buckets.leases}.`

export const nodeKey = (session: string): string => `node.${session}`
export const shardKey = (shard: number): string => `shard.${shard}`

export class LeaseView implements Owners {
  private readonly owners: Array<string | null> = Array.from({ length: SHARD_COUNT }, () => null)
  private readonly live = new Set<string>()
  private readonly listeners = new Set<(shard: number) => void>()
  private readonly nodeListeners = new Set<(session: string, alive: boolean) => void>()

  /** Applies one entry of the bucket. `value` is `null` if it was deleted or has expired. */
  apply(key: string, value: string | null): void {
    if (key.startsWith("node.")) this.applyNode(key.slice("node.".length), value !== null)
    else if (key.startsWith("shard.")) this.applyShard(Number(key.slice("shard.".length)), value === "" ? null : value)
  }

  ownerOf(shard: number): string | null {
    return this.owners[shard] ?? null
  }

  sessions(): ReadonlyArray<string> {
    return [...this.live]
  }

  isLive(session: string): boolean {
    return this.live.has(session)
  }

  /** Returns a function that ends the listening. */
  onChange(listener: (shard: number) => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** Returns a function that ends the listening. */
  onNode(listener: (session: string, alive: boolean) => void): () => void {
    this.nodeListeners.add(listener)
    return () => void this.nodeListeners.delete(listener)
  }

  private applyNode(session: string, alive: boolean): void {
    if (this.live.has(session) === alive) return
    if (alive) this.live.add(session)
    else this.live.delete(session)
    for (const listener of this.nodeListeners) listener(session, alive)
  }

  private applyShard(shard: number, owner: string | null): void {
    if (!Number.isInteger(shard) || shard < 0 || shard >= SHARD_COUNT || this.owners[shard] === owner) return
    this.owners[shard] = owner
    for (const listener of this.listeners) listener(shard)
  }
}
