/**
 * Places of queries under way, divided among clients. A node answers a limited number of queries at once
 * (actors/queries/serve.ts), so slow queries of few clients could block the queries of all others.
 *
 * Invariants
 *  - A query counts for the address that it came from. If an account signed the request, it counts for the account too:
 *    an account at many addresses has one share.
 *  - A place is freed when a node answers. Without an answer it is freed after `service.query_timeout_ms`, because the
 *    node may run the query until then.
 */
import type { Clock } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { after, monotonicMs } from "../../schemas/runtime/clock.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import { Shares } from "../http/shares.ts"
import { isKnown, turnOf } from "../http/turns.ts"

export const tooManyQueries: Refusal = {
  code: "overloaded",
  message: "You have too many requests under way at once. Wait for some of them to be answered.",
  retryAfter: 1
}

/** True for a refusal because the client has too many queries under way. */
export const isCrowded = ({ refusal }: Refused): boolean => refusal === tooManyQueries

/** Frees the place: at once if a node answered (`isAnswered`), otherwise when the query's time is over. */
export type GivePlace = (isAnswered: boolean) => void

export class QueryPlaces {
  private readonly clock: Clock.Clock
  private readonly timeoutMs: number
  private readonly byAddress: Shares
  private readonly byAccount: Shares

  constructor(clock: Clock.Clock, { service }: Pick<Limits, "service">) {
    const { max_queries, max_client_queries, query_timeout_ms } = service
    this.clock = clock
    this.timeoutMs = query_timeout_ms
    this.byAddress = new Shares(max_queries, max_client_queries)
    this.byAccount = new Shares(max_queries, max_client_queries)
  }

  /** `null` if the client has no place left. */
  take(call: Call): GivePlace | null {
    const account = isKnown(call) ? { client: turnOf(call), wide: null } : null
    if (!this.byAddress.take(call, 1)) return null
    if (account !== null && !this.byAccount.take(account, 1)) {
      this.byAddress.give(call, 1)
      return null
    }
    const began = monotonicMs(this.clock)
    const give = (): void => {
      this.byAddress.give(call, 1)
      if (account !== null) this.byAccount.give(account, 1)
    }
    return (isAnswered) => {
      const left = isAnswered ? 0 : this.timeoutMs - (monotonicMs(this.clock) - began)
      if (left <= 0) give()
      else after(this.clock, left, give, "unref")
    }
  }
}
