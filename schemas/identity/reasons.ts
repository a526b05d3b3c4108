/** The verdicts about a request that claims an identity (spec 4.7). Pure, so that websites' verifiers say the same. */

/** All reasons of a verdict, in the order of the checks. */
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
 * Reasons that only a website's own verifier gives: the service cannot be reached, a part of the website fails, or the
 * chosen mode cannot judge this kind of proof.
 */
export const CLIENT_REASONS = [
  "hub_unreachable",
  "lookup_limited",
  "cache_unavailable",
  "scheme_not_supported"
] as const
export type ClientReason = (typeof CLIENT_REASONS)[number]
