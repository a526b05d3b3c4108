/** Budgets of bytes that an agent, or a person, has for a day (contract 19, "Sizes"). */
import { Effect } from "effect"
import { type Refusal, refusal, unavailable } from "../../schemas/errors.ts"
import type { RateLimit } from "../../schemas/limit/bucket.ts"

export const DAY_SECONDS = 86_400

/** `does`: what the bytes are used for, for the message. */
export const spentBytes = (
  bucket: string,
  does: string,
  { requests, window_seconds }: RateLimit,
  resetsAt: number,
  now: number
): Refusal => {
  const retryAfter = Math.max(1, Math.ceil((resetsAt - now) / 1000))
  const details = { bucket, limit: requests, window_seconds, retry_after: retryAfter }
  return {
    ...refusal("rate_limited", `You may ${does} ${requests} bytes a day. Try again in ${retryAfter} s.`, details),
    retryAfter
  }
}

export const lookedUp = <A>(reading: () => Promise<A>): Effect.Effect<A, Refusal> =>
  Effect.tryPromise({
    try: reading,
    catch: () => unavailable("Today's limit cannot be looked up at the moment.")
  })
