/**
 * Limits the readers of the whole directory. Each has a place until it has received everything, so slow readers keep
 * places.
 *
 * Invariants
 *  - One client has at most `clientMax` places, and all clients together at most `max`.
 *  - When all are taken, a new reader may get a place of the client with the most places, if that client has at least
 *    two more. Its oldest reader is disconnected. All clients of a /48 count as one here.
 *  - Otherwise the oldest reader is disconnected, if it has had its place for `giveWayMs`. So slow readers never keep
 *    others out for good.
 */
import type { Network } from "../http/address.ts"

export interface ReadersBounds {
  readonly max: number
  readonly clientMax: number
  readonly giveWayMs: number
}

interface Reader extends Network {
  /** Milliseconds of any clock that only moves forward. */
  readonly since: number
  readonly letGo: () => void
}

const ownerOf = ({ client, wide }: Network): string => wide ?? client

export class Readers {
  /** Readers, in the order in which they connected. */
  private readonly all = new Set<Reader>()
  private readonly bounds: ReadersBounds

  constructor(bounds: ReadersBounds) {
    this.bounds = bounds
  }

  /**
   * Returns a function that gives the place back, or `null` if there is no place. `letGo` ends a reader that must make
   * room.
   */
  enter(network: Network, now: number, letGo: () => void): (() => void) | null {
    const { max, clientMax } = this.bounds
    const ofClient = [...this.all].filter(({ client }) => client === network.client).length
    if (ofClient >= clientMax) return null
    if (this.all.size >= max) {
      const leaves = this.leavesFor(network, now)
      if (leaves === undefined) return null
      this.all.delete(leaves)
      leaves.letGo()
    }
    const reader: Reader = { client: network.client, wide: network.wide, since: now, letGo }
    this.all.add(reader)
    return () => void this.all.delete(reader)
  }

  private leavesFor(newcomer: Network, now: number): Reader | undefined {
    const places = new Map<string, number>()
    for (const reader of this.all) places.set(ownerOf(reader), (places.get(ownerOf(reader)) ?? 0) + 1)
    const most = Math.max(...places.values())
    if (most > (places.get(ownerOf(newcomer)) ?? 0) + 1)
      return [...this.all].find((reader) => places.get(ownerOf(reader)) === most)
    const [oldest] = this.all
    return oldest !== undefined && now - oldest.since >= this.bounds.giveWayMs ? oldest : undefined
  }
}
