/**
 * Bounds the cost of signatures that do not verify (contract 21).
 *
 * Invariants
 *  - Nothing counts against a key before its signature verifies. A failed attempt counts for the pair of client and
 *    key, with the limits of the bucket `key`. So a client that sends garbage under another's public key blocks only
 *    itself.
 *  - A copied request (its nonce is used) proves nothing about its sender either. It counts in the same way, and the
 *    edge that drew from the key's bucket gives the draw back.
 *  - Over `FAILURES_PER_SECOND_MAX` failures in a second on this edge, clients that failed here within the last minute
 *    are refused before anything of their requests is verified. Other clients are served as before.
 */
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { GenerationCache } from "../http/generation-cache.ts"
import type { Drawn, EdgeLimits, DrawResult } from "../http/limits.ts"

/** Takes a tenth of a core, at about 0.1 ms for each signature. */
export const FAILURES_PER_SECOND_MAX = 1000
const FAILED_LATELY_MS = 60_000
const CLIENTS_MAX = 20_000

const BUSY: Refusal = {
  ...refusal("overloaded", "Too many signatures that do not verify come in at the moment."),
  retryAfter: 1
}

const attempt = (client: string, publicKey: string): string => `${client} ${publicKey}`

export class Unverified {
  private readonly buckets: EdgeLimits
  private readonly failedAt = new GenerationCache<string, number>(CLIENTS_MAX)
  private second = 0
  private failures = 0

  constructor(buckets: EdgeLimits) {
    this.buckets = buckets
  }

  /**
   * Refuses a client that has failed too often with this key; `null` if another signature may be verified. `now` is in
   * Unix ms.
   */
  refusal(client: string, publicKey: string, now: number): DrawResult {
    const busy = this.second === Math.floor(now / 1000) && this.failures >= FAILURES_PER_SECOND_MAX
    if (busy && now - (this.failedAt.get(client) ?? Number.NEGATIVE_INFINITY) < FAILED_LATELY_MS) return BUSY
    return this.buckets.spent("key", attempt(client, publicKey))
  }

  /** Counts a signature that did not verify: draws from the bucket of the client and key. */
  failed(client: string, publicKey: string, now: number): Drawn {
    const second = Math.floor(now / 1000)
    if (second !== this.second) {
      this.second = second
      this.failures = 0
    }
    this.failures++
    this.failedAt.set(client, now)
    return this.buckets.take("key", attempt(client, publicKey))
  }

  /** Counts a signature that is valid, but copies an earlier request of its key. */
  replayed(client: string, publicKey: string, now: number): void {
    this.buckets.giveBack("key", publicKey)
    void this.failed(client, publicKey, now)
  }
}
