/**
 * Places of queries under way, divided among clients. A node answers a limited number of queries at once
 * (actors/queries/serve.ts), and fewer searches (actors/content/searching.ts). So slow ones of few clients could block
 * those of all others.
 *
 * Invariants
 *  - A query counts for the address that it came from. If an account signed the request, it counts for the account too:
 *    an account at many addresses has one share.
 *  - A search takes a place among the searches too.
 *  - At the nodes, accounts and networks take turns (actors/kit/reads.ts, actors/content/searching.ts).
 *  - A place is freed when a node answers. Without an answer it is freed after `service.query_timeout_ms`, because the
 *    node may run the query until then.
 */
import type { Clock } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { after, monotonicMs } from "../../schemas/runtime/clock.ts"
import type { Network } from "../http/address.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import { Shares } from "../http/shares.ts"
import { isKnown, turnOf } from "../http/turns.ts"

export const tooManyQueries: Refusal = {
  code: "overloaded",
  message: "You have too many requests under way at once. Wait for some of them to be answered.",
  retryAfter: 1
}

export const tooManySearches: Refusal = {
  code: "overloaded",
  message: "You or others have too many searches under way at once. Try again in a little while.",
  retryAfter: 2
}

/** True for a refusal because the client, or all clients together, have too many queries under way. */
export const isCrowded = ({ refusal }: Refused): boolean => refusal === tooManyQueries || refusal === tooManySearches

/** Frees the place: at once if a node has answered, otherwise when its time is over. */
export type GivePlace = (isAnswered: boolean) => void

/** The account that authenticates a query, otherwise the client's network. By it queries take turns (actors/kit/). */
export const askerOf = (call: Call): string => (isKnown(call) ? turnOf(call) : (call.wide ?? call.client))

interface Places {
  readonly byAddress: Shares
  readonly byAccount: Shares
}

const placesOf = (max: number, clientMax: number): Places => ({
  byAddress: new Shares(max, clientMax),
  byAccount: new Shares(max, clientMax)
})

export class QueryPlaces {
  private readonly clock: Clock.Clock
  private readonly timeoutMs: number
  private readonly queries: Places
  private readonly searches: Places

  constructor(clock: Clock.Clock, { service }: Pick<Limits, "service">) {
    const { max_queries, max_client_queries, max_searches, query_timeout_ms } = service
    this.clock = clock
    this.timeoutMs = query_timeout_ms
    this.queries = placesOf(max_queries, max_client_queries)
    this.searches = placesOf(max_searches, max_searches)
  }

  /** `null` if the client has no place left. */
  take(call: Call, isSearch = false): GivePlace | null {
    const account = isKnown(call) ? { client: turnOf(call), wide: null } : null
    const taken: Array<readonly [shares: Shares, client: Network]> = []
    const give = (): void => {
      for (const [shares, client] of taken) shares.give(client, 1)
    }
    for (const { byAddress, byAccount } of isSearch ? [this.queries, this.searches] : [this.queries])
      for (const [shares, client] of [[byAddress, call] as const, [byAccount, account] as const]) {
        if (client === null) continue
        if (!shares.take(client, 1)) {
          give()
          return null
        }
        taken.push([shares, client])
      }
    const began = monotonicMs(this.clock)
    return (isAnswered) => {
      const left = isAnswered ? 0 : this.timeoutMs - (monotonicMs(this.clock) - began)
      if (left <= 0) give()
      else after(this.clock, left, give, "unref")
    }
  }
}
