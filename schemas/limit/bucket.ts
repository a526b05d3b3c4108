/** Rate-limit buckets: the actor that counts one, and its limit. */
import type { BucketName, Limits } from "../limits.ts"

export interface RateLimit {
  readonly requests: number
  readonly window_seconds: number
}

/** Buckets that are documented elsewhere, with the owner's space (contract 20). */
const OWNER_BUCKETS = ["login_failures", "forgot_per_address"] as const
/** The buckets that actors of kind `limit` count. */
export type CountedBucket = BucketName | (typeof OWNER_BUCKETS)[number]

export const isCounted = ({ rate_limits }: Pick<Limits, "rate_limits">, bucket: string): bucket is CountedBucket =>
  Object.hasOwn(rate_limits, bucket) || OWNER_BUCKETS.some((name) => name === bucket)

export const figuresOf = (
  { rate_limits, limits: { owner } }: Pick<Limits, "rate_limits" | "limits">,
  bucket: CountedBucket
): RateLimit => (bucket === "login_failures" || bucket === "forgot_per_address" ? owner[bucket] : rate_limits[bucket])

/** The requests of all clients of a /48 together, computed from the requests of one client. */
type WideRequests = (requests: number, wide: Limits["wide_network"]) => number

const manyClients: WideRequests = (requests, { budgets }) => requests * budgets

/** Buckets in which the limit of a /48 is not simply a multiple of one client's. */
const WIDE: Partial<Readonly<Record<CountedBucket, WideRequests>>> = {
  register: (requests, { challenges }) => Math.max(requests, challenges),
  /** The whole network is slowed as one client. */
  register_slow: (requests) => requests
}

/** The limit of a bucket for a /48. It is never lower than that of one client. */
export const wideLimit = (
  limits: Pick<Limits, "rate_limits" | "limits" | "wide_network">,
  bucket: CountedBucket
): RateLimit => {
  const { requests, window_seconds } = figuresOf(limits, bucket)
  const wide = WIDE[bucket] ?? manyClients
  return { requests: wide(requests, limits.wide_network), window_seconds }
}

/**
 * The id of the actor of kind `limit` that counts a bucket. `hash` is of the client, the key or the person. `wide` is
 * true for a /48.
 */
export const bucketActor = (bucket: CountedBucket, hash: string, wide: boolean): string =>
  `${bucket}.${wide ? WIDE_MARK : ""}${hash}`

const WIDE_MARK = "w"
