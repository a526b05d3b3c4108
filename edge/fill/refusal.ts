/**
 * Refusals of fills, in the form in which the local service answers them (contract 9, 17). They never contain a secret.
 */

/** HTTP statuses by code. Other codes are refusals by policy. */
const STATUSES: Readonly<Record<string, number>> = {
  bad_request: 400,
  entry_unknown: 404,
  form_not_found: 404,
  field_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  entry_ambiguous: 409,
  field_ambiguous: 409,
  page_ambiguous: 409,
  fill_expired: 409,
  consent_pending: 409,
  owner_none: 409,
  captcha_unsolved: 409,
  captcha_needs_human: 409,
  vault_not_active: 409,
  fills_pending_full: 409,
  vault_full: 409,
  token_invalid: 409,
  signup_not_accepted: 409,
  request_too_large: 413,
  validation_error: 422,
  rate_limited: 429,
  fill_busy: 503,
  browser_unreachable: 502,
  hub_unreachable: 502
}
const POLICY_STATUS = 403

export class Refused extends Error {
  readonly code: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: string, reason: string, details: Readonly<Record<string, unknown>> = {}) {
    super(reason)
    this.code = code
    this.details = details
  }

  get status(): number {
    return STATUSES[this.code] ?? POLICY_STATUS
  }

  get body(): Readonly<Record<string, unknown>> {
    return { ...this.details, status: "refused", code: this.code, reason: this.message }
  }
}

export const invalid = (field: string, reason: string): Refused => new Refused("validation_error", reason, { field })

/** A fault that keeps the program from starting, reported in one line. */
export class StartFault extends Error {}
