/**
 * Divides a limited resource of an edge (bytes of held bodies, connections, places to wait) among its clients.
 *
 * Invariants
 *  - No client holds more than `clientMax`, nor more than an eighth of what is then left. So one client gets at most a
 *    ninth of the whole, and the next client finds eight ninths of what the last one found.
 *  - All clients of an IPv6 /48 together hold no more than half of what is then left, because the owner of a /48 has
 *    65,536 clients (contract 21).
 */
import { Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { Network } from "./address.ts"
import { type Refused, refuse } from "./refused.ts"

const CLIENT_PART = 8
const WIDE_PART = 2
/** The smallest share, in places. */
const PLACES_MIN = 16

export class Shares {
  private held = 0
  private readonly heldOf = new Map<string, number>()
  private readonly max: number
  readonly clientMax: number

  constructor(max: number, clientMax: number) {
    this.max = max
    this.clientMax = clientMax
  }

  /** Shares of places to wait. A single client needs no further limit for these. */
  static ofPlaces(places: number): Shares {
    const max = Math.max(PLACES_MIN, places)
    return new Shares(max, max)
  }

  take({ client, wide }: Network, amount: number): boolean {
    const left = this.max - this.held - amount
    const ofClient = this.of(client) + amount
    if (ofClient > Math.min(this.clientMax, left / CLIENT_PART)) return false
    const ofWide = wide === null ? 0 : this.of(wide) + amount
    if (ofWide > left / WIDE_PART) return false
    this.held += amount
    this.set(client, ofClient)
    if (wide !== null) this.set(wide, ofWide)
    return true
  }

  give({ client, wide }: Network, amount: number): void {
    this.held -= amount
    this.set(client, this.of(client) - amount)
    if (wide !== null) this.set(wide, this.of(wide) - amount)
  }

  /** Holds one share while `run` runs. Fails with `tooMany` if the client has none left. */
  within<A>(client: Network, tooMany: Refusal, run: Effect.Effect<A, Refused>): Effect.Effect<A, Refused> {
    return Effect.acquireUseRelease(
      Effect.suspend(() => (this.take(client, 1) ? Effect.void : Effect.fail(refuse(tooMany)))),
      () => run,
      () => Effect.sync(() => this.give(client, 1))
    )
  }

  get inUse(): number {
    return this.held
  }

  heldBy({ client }: Network): number {
    return this.of(client)
  }

  private of(name: string): number {
    return this.heldOf.get(name) ?? 0
  }

  private set(name: string, amount: number): void {
    if (amount > 0) this.heldOf.set(name, amount)
    else this.heldOf.delete(name)
  }
}
