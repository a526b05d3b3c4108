/** What can be said of a request that claims an identity (spec 4.7). Pure, so that websites' verifiers say the same. */

/** Everything that a verdict may say, in the order in which it is found out. */
export const VERIFY_REASONS = [
  "headers_missing",
  "announced_only",
  "headers_incomplete",
  "id_malformed",
  "id_unknown",
  "agent_retired",
  "timestamp_invalid",
  "timestamp_expired",
  "nonce_invalid",
  "bad_signature",
  "key_retired",
  "agent_suspended",
  "agent_banned",
  "replayed"
] as const
export type VerifyReason = (typeof VERIFY_REASONS)[number]

/**
 * What only a website's own verifier can meet: they lie with the service's reach or the website's own parts, not with
 * the request.
 */
export const CLIENT_REASONS = ["hub_unreachable", "lookup_limited", "cache_unavailable"] as const
export type ClientReason = (typeof CLIENT_REASONS)[number]
