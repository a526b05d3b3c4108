/** Connections of SMTP by the network of their client: so many for an IPv4 address or IPv6 /64, so many for a /48. */
import type { Limits } from "../../../schemas/limits.ts"
import { networkOf } from "../../../schemas/network.ts"

type Bounds = Pick<Limits["service"]["mail"], "connections_per_client_max" | "connections_per_wide_max">

export class Places {
  private readonly bounds: Bounds
  private readonly open = new Map<string, number>()

  constructor(bounds: Bounds) {
    this.bounds = bounds
  }

  /** Takes one more connection for a client, until `give`; false if it has as many as it may. */
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

  /** Networks that have a connection. */
  get size(): number {
    return this.open.size
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
