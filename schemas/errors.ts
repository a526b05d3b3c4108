/**
 * Every error code that a client can meet, with its HTTP status (spec 7, contract "Common" and 13).
 * Actors fail with a code, a message and details; only the edge turns the code into a status.
 */
export const ERROR_STATUS = {
  authentication_required: 401,
  key_unknown: 401,
  auth_headers_incomplete: 401,
  auth_invalid_key: 401,
  auth_invalid_timestamp: 401,
  auth_invalid_nonce: 401,
  auth_timestamp_skew: 401,
  auth_bad_signature: 401,
  auth_nonce_reused: 401,
  signature_required: 401,
  agent_banned: 403,
  agent_deleted: 403,
  agent_suspended: 403,
  operator_required: 403,
  platform_account: 403,
  /** What came is no HTTP request. */
  bad_request: 400,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  challenge_unknown: 400,
  challenge_used: 400,
  challenge_expired: 400,
  challenge_key_mismatch: 400,
  verify_challenge_unknown: 400,
  verify_challenge_used: 400,
  verify_challenge_expired: 400,
  questions_not_served: 409,
  questions_already_served: 409,
  key_already_registered: 409,
  /** 401 where a request is signed with such a key, 409 in registration and rotation (spec 7). */
  key_retired: 409,
  handle_taken: 409,
  key_unavailable: 409,
  /** A recovery of this agent is under way already. */
  recovery_pending: 409,
  recovery_not_pending: 409,
  /** The recovery key did not sign what makes it one (contract 21). */
  recovery_proof_invalid: 422,
  /** The agent has no such recovery key; which agents have one is not told. */
  recovery_refused: 403,
  /** There is no webhook to deliver to, or it was switched off. */
  webhook_not_set: 409,
  /** The delivery is still under way, or was repeated too often. */
  redelivery_not_possible: 409,
  /** The account is not suspended, or there is no open appeal to decide on. */
  appeal_not_possible: 409,
  appeal_exists: 409,
  idempotency_in_flight: 409,
  request_too_large: 413,
  uri_too_long: 414,
  header_fields_too_large: 431,
  validation_error: 422,
  pow_missing: 422,
  pow_invalid: 422,
  challenge_wrong_answers: 422,
  captcha_bypass_refused: 422,
  rotation_proof_invalid: 422,
  verify_bad_signature: 422,
  idempotency_conflict: 422,
  confirmation_required: 422,
  rate_limited: 429,
  internal_error: 500,
  /** The bus or the actor did not answer within the request's deadline; nothing is known to be lost. */
  unavailable: 503,
  overloaded: 503
} as const

export type ErrorCode = keyof typeof ERROR_STATUS
export type ErrorDetails = Readonly<Record<string, unknown>>

/** A refusal as it travels on the bus and, in the envelope of spec 4.1, to the client. */
export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  readonly details?: ErrorDetails
  /** Seconds; becomes `Retry-After` (contract 13: always with 429 and 503). */
  readonly retryAfter?: number
  /** Where the same code has another status than `ERROR_STATUS` (key_retired on a signed request: 401). */
  readonly status?: number
}

export const refusal = (code: ErrorCode, message: string, details?: ErrorDetails): Refusal =>
  details === undefined ? { code, message } : { code, message, details }

/** 422 of spec 7: `details.field` always, `rule` and `max` where they help. */
export const invalidField = (field: string, message: string, more?: ErrorDetails): Refusal => ({
  code: "validation_error",
  message,
  details: { field, ...more }
})

export const notFound = (resource: string): Refusal => ({
  code: "not_found",
  message: `There is no such ${resource}.`,
  details: { resource }
})

export const unavailable = (message: string, retryAfter = 1): Refusal => ({ code: "unavailable", message, retryAfter })
