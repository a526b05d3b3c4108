/**
 * Limits the connections and bytes of incoming messages that each network may have at the SMTP server.
 *
 * Invariants
 *  - An IPv4 address or IPv6 /64 has at most `connections_per_client_max` connections, a /48
 *    `connections_per_wide_max`.
 *  - An IPv4 address or a /48 has at most a sixth of all bytes (or one message, if that is more), and at most as many
 *    as are free. So others find room until six networks use all that they may.
 */
import type { Limits } from "../../../schemas/limits.ts"
import { networkOf } from "../../../schemas/network.ts"

type Bounds = Pick<
  Limits["service"]["mail"],
  "connections_per_client_max" | "connections_per_wide_max" | "held_max_bytes"
> &
  Pick<Limits["limits"]["email"], "message_max_bytes">

const SHARES = 6

/** The network that shares one allowance of bytes. */
const holderOf = (address: string): string => {
  const { client, wide } = networkOf(address)
  return wide ?? client
}

export class Places {
  private readonly bounds: Bounds
  private readonly open = new Map<string, number>()
  private readonly held = new Map<string, number>()
  private heldBytes = 0

  constructor(bounds: Bounds) {
    this.bounds = bounds
  }

  /** Reserves a connection for a client, until `give` returns it. False if the client has as many as it may. */
  take(address: string): boolean {
    const { client, wide } = networkOf(address)
    if (this.of(client) >= this.bounds.connections_per_client_max) return false
    if (wide !== null && this.of(wide) >= this.bounds.connections_per_wide_max) return false
    this.add(client, 1)
    if (wide !== null) this.add(wide, 1)
    return true
  }

  give(address: string): void {
    const { client, wide } = networkOf(address)
    this.add(client, -1)
    if (wide !== null) this.add(wide, -1)
  }

  /** Reserves this many more bytes for a client until `release`. False if they are too many. */
  hold(address: string, bytes: number): boolean {
    const holder = holderOf(address)
    const held = (this.held.get(holder) ?? 0) + bytes
    const { held_max_bytes, message_max_bytes } = this.bounds
    const share = Math.max(message_max_bytes, held_max_bytes / SHARES)
    if (held > Math.min(share, held_max_bytes - this.heldBytes - bytes)) return false
    this.held.set(holder, held)
    this.heldBytes += bytes
    return true
  }

  release(address: string, bytes: number): void {
    const holder = holderOf(address)
    const left = (this.held.get(holder) ?? 0) - bytes
    if (left > 0) this.held.set(holder, left)
    else this.held.delete(holder)
    this.heldBytes -= bytes
  }

  /** The number of networks that have a connection or reserved bytes. */
  get size(): number {
    return new Set([...this.open.keys(), ...this.held.keys()]).size
  }

  private of(network: string): number {
    return this.open.get(network) ?? 0
  }

  private add(network: string, count: number): void {
    const open = this.of(network) + count
    if (open > 0) this.open.set(network, open)
    else this.open.delete(network)
  }
}
