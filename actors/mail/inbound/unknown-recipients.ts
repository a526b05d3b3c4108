/**
 * Limits the recipients without a mailbox that an SMTP client may name. Each of these addresses is looked up in an
 * actor of its own, so a client that names many would take the memory of the actors that others use.
 *
 * Invariants
 *  - An IPv4 address or IPv6 /64 names at most `unknown_recipients_per_client_max` in a minute, and an IPv6 /48 names
 *    at most `unknown_recipients_per_wide_max`. Each connection may exceed that by the one lookup that is under way.
 *  - Recipients with a mailbox do not count.
 */
import type { Clock } from "effect"
import type { Limits } from "../../../schemas/limits.ts"
import { networkOf } from "../../../schemas/network.ts"
import { monotonicMs } from "../../../schemas/runtime/clock.ts"

type Bounds = Pick<Limits["service"]["mail"], "unknown_recipients_per_client_max" | "unknown_recipients_per_wide_max">

const WINDOW_MS = 60_000
/** The most networks that are counted. A further one replaces the one that was counted first. */
const NETWORKS_MAX = 16_384

interface Window {
  /** Monotonic milliseconds of the first recipient. */
  readonly since: number
  count: number
}

export class UnknownRecipients {
  private readonly clock: Clock.Clock
  private readonly bounds: Bounds
  private readonly windows = new Map<string, Window>()

  constructor(clock: Clock.Clock, bounds: Bounds) {
    this.clock = clock
    this.bounds = bounds
  }

  /** True if this client may name no further recipient now. */
  isOver(address: string): boolean {
    const { client, wide } = networkOf(address)
    const { unknown_recipients_per_client_max, unknown_recipients_per_wide_max } = this.bounds
    return (
      this.of(client) >= unknown_recipients_per_client_max ||
      (wide !== null && this.of(wide) >= unknown_recipients_per_wide_max)
    )
  }

  /** Counts a recipient without a mailbox that this client named. */
  add(address: string): void {
    const { client, wide } = networkOf(address)
    this.count(client)
    if (wide !== null) this.count(wide)
  }

  private of(network: string): number {
    return this.current(network)?.count ?? 0
  }

  private current(network: string): Window | undefined {
    const window = this.windows.get(network)
    return window !== undefined && monotonicMs(this.clock) - window.since < WINDOW_MS ? window : undefined
  }

  private count(network: string): void {
    const window = this.current(network)
    if (window !== undefined) {
      window.count++
      return
    }
    this.windows.delete(network)
    this.windows.set(network, { since: monotonicMs(this.clock), count: 1 })
    const [oldest] = this.windows.keys()
    if (this.windows.size > NETWORKS_MAX && oldest !== undefined) this.windows.delete(oldest)
  }
}
