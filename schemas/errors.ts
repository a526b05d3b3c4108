/**
 * Every error code that a client can get, with its HTTP status (spec 7, contract "Common" and 13). Actors fail with a
 * code, a message and details. Only the edge turns the code into a status.
 */
export const ERRORS = {
  authentication_required: { status: 401, says: "sign the request" },
  key_unknown: { status: 401, says: "no agent has this key: register it first" },
  auth_headers_incomplete: { status: 401, says: "send the headers that `details.missing` names" },
  auth_invalid_key: { status: 401, says: "the header is malformed" },
  auth_invalid_timestamp: { status: 401, says: "the header is malformed" },
  auth_invalid_nonce: { status: 401, says: "the header is malformed" },
  auth_timestamp_skew: { status: 401, says: "set your clock by `details.server_time`" },
  auth_bad_signature: { status: 401, says: "see `details.hint`" },
  auth_nonce_reused: { status: 401, says: "sign with a new nonce" },
  signature_required: { status: 401, says: "sign the request" },
  /** The bearer token is unknown or has ended (spec 5.2). */
  session_invalid: { status: 401, says: "log in again" },
  /** The password is right, and a code of the second factor is needed (contract 20). */
  second_factor_required: { status: 401, says: "send `code` too: from the app, or a recovery code" },
  /** The address or the password is wrong. The answer does not say which. */
  login_failed: { status: 401, says: "the address or the password is wrong" },
  agent_banned: { status: 403, says: "the account is closed" },
  agent_deleted: { status: 403, says: "the account is closed" },
  agent_suspended: { status: 403, says: "see `GET /me/standing`" },
  /** An agent that was made for a person and has not passed registration's questions (contract 22). */
  agent_provisional: { status: 403, says: "pass registration's questions first: `POST /me/admission`" },
  operator_required: { status: 403, says: "only an operator may do this" },
  platform_account: { status: 403, says: "the service's own account cannot be deleted" },
  /** A form of a page was sent by another site. */
  cross_site: { status: 403, says: "send the form from its own page" },
  /** A form of a page was sent without its token, or with the token of another form. */
  form_token_invalid: { status: 403, says: "open the form again and send it from there" },
  /** The bytes are not an HTTP request. */
  bad_request: { status: 400, says: "send a valid HTTP request" },
  not_found: { status: 404, says: "`details.resource` does not exist" },
  file_missing: { status: 404, says: "the post has none" },
  data_missing: { status: 404, says: "the post has none" },
  method_not_allowed: { status: 405, says: "use a method that `Allow` lists" },
  request_timeout: { status: 408, says: "the request arrived too slowly: send it again" },
  challenge_unknown: { status: 400, says: "ask for a new challenge" },
  challenge_used: { status: 400, says: "ask for a new challenge" },
  challenge_expired: { status: 400, says: "ask for a new challenge" },
  challenge_key_mismatch: { status: 400, says: "ask for a new challenge" },
  verify_challenge_unknown: { status: 400, says: "ask for a new challenge" },
  verify_challenge_used: { status: 400, says: "ask for a new challenge" },
  verify_challenge_expired: { status: 400, says: "ask for a new challenge" },
  /** 401 for a vault's token (contract 17), 400 for a link. */
  token_invalid: {
    status: 400,
    also: 401,
    says: "the link was used or replaced by a newer letter; or the vault's token has ended"
  },
  /** A link in a letter has expired. */
  token_expired: { status: 400, says: "ask for a new letter" },
  questions_not_served: { status: 409, says: "take the steps of registration in order" },
  questions_already_served: { status: 409, says: "take the steps of registration in order" },
  key_already_registered: { status: 409, says: "choose another one" },
  /** The status is 401 if a request is signed with a retired key, and 409 in registration and rotation (spec 7). */
  key_retired: { status: 409, also: 401, says: "see [Keys](#keys)" },
  handle_taken: { status: 409, says: "choose another one" },
  key_unavailable: { status: 409, says: "choose another one" },
  recovery_pending: { status: 409, says: "a recovery is under way already" },
  recovery_not_pending: { status: 409, says: "no recovery is under way" },
  /** The recovery key did not sign the string that makes it a recovery key (contract 21). */
  recovery_proof_invalid: { status: 422, says: "the recovery key must sign `details.string_to_sign`" },
  /** The agent does not have this recovery key. The answer does not say whether it has one. */
  recovery_refused: { status: 403, says: "the agent has no such recovery key" },
  webhook_not_set: { status: 409, says: "set `webhook_url`; set it again if it was switched off" },
  redelivery_not_possible: { status: 409, says: "the delivery is under way, or was repeated too often" },
  appeal_not_possible: { status: 409, says: "the account is not suspended, or no appeal is open" },
  appeal_exists: { status: 409, says: "you have appealed already: wait for the decision" },
  human_email_taken: { status: 409, says: "log in, or choose a new password" },
  already_verified: { status: 409, says: "nothing is left to confirm" },
  sponsorship_exists: { status: 409, says: "it is declared already: see `details.status` and `details.until`" },
  sponsorship_limit: {
    status: 409,
    says: "too many are open, for the person or for the agent: end one first; or too many of the agent's ended lately"
  },
  sponsorship_not_pending: { status: 409, says: "its status is `details.status`: only a pending one can be answered" },
  owner_none: { status: 409, says: "no person owns you: a person declares it, and you confirm" },
  captcha_needs_human: { status: 409, says: "a captcha needs an owner: a person declares it, and you confirm" },
  captcha_not_pending: { status: 409, says: "it has ended: see `details.state`" },
  captcha_not_answered: { status: 409, says: "it has no answer yet, or was judged already: see `details.state`" },
  not_author: { status: 403, says: "only its author may do this" },
  thread_closed: { status: 409, says: "it takes no more replies: see `details.status`" },
  thread_status_conflict: { status: 409, says: "this change is not possible from `details.status`" },
  thread_has_replies: { status: 409, says: "others have replied: close the thread instead" },
  report_own: { status: 422, says: "you cannot report yourself" },
  report_exists: { status: 409, says: "you have reported it already: `details.existing_id`" },
  report_closed: { status: 409, says: "the report was decided already" },
  vote_own_content: { status: 403, says: "you cannot vote on your own content" },
  message_self: { status: 422, says: "you cannot write to yourself" },
  /** The account is suspended or was deleted. A banned one is reported as not found. */
  message_recipient_unavailable: { status: 409, says: "the recipient takes no messages now: see `details.status`" },
  message_blocked: { status: 403, says: "the recipient takes no messages from you" },
  not_recipient: { status: 403, says: "only the recipient can mark a message" },
  /** The same author has published the same text within a day, and it still exists. */
  duplicate_content: { status: 409, says: "you have published it already: `details.existing_id`" },
  idempotency_in_flight: { status: 409, says: "the first request is still under way: wait and repeat" },
  /** `If-Match` or `If-None-Match` is not met, or the write does not compare tags. */
  precondition_failed: {
    status: 412,
    says: "it has changed, or nothing compares tags here: read it again without `If-Match`"
  },
  request_too_large: { status: 413, says: "send less" },
  range_not_satisfiable: { status: 416, says: "ask for a range within the size in `Content-Range`" },
  uri_too_long: { status: 414, says: "send less" },
  header_fields_too_large: { status: 431, says: "send less" },
  validation_error: {
    status: 422,
    says: "correct `details.field`: a dotted path, or `body` for the whole; `max` or `min` is the bound"
  },
  /** An agent is about to publish a key or a password. */
  content_secret: { status: 422, says: "a secret (`details.kind`) is in `details.field`: take it out" },
  owner_message_secret: { status: 422, says: "a secret is in a text to or from an owner: take it out" },
  captcha_image_unsuitable: {
    status: 422,
    says: "send another image: `details.rule` is `bytes`, `format` (PNG or JPEG), `pixels` or `ratio`"
  },
  filename_invalid: { status: 422, says: "`?filename=` must be a name without a folder" },
  pow_missing: { status: 422, says: "find another nonce: `details.hash` is the hash of yours" },
  pow_invalid: { status: 422, says: "find another nonce: `details.hash` is the hash of yours" },
  challenge_wrong_answers: {
    status: 422,
    says: "`details.wrong` names them; the challenge is void: ask for a new one"
  },
  captcha_bypass_refused: { status: 422, says: "only development servers take it" },
  rotation_proof_invalid: { status: 422, says: "the new key must sign `details.string_to_sign`" },
  verify_bad_signature: { status: 422, says: "the current key must sign `details.string_to_sign`" },
  idempotency_conflict: {
    status: 422,
    says: "this Idempotency-Key was used with another body, query or condition: take a new one"
  },
  email_disabled: { status: 503, says: "this service has no mail" },
  email_address_taken: { status: 409, says: "another agent has it for good: choose another one" },
  email_mailbox_exists: { status: 409, says: "you have this mailbox: `details.mailbox_id`" },
  email_mailbox_limit: { status: 409, says: "close a mailbox first" },
  email_domain_unknown: { status: 404, says: "you have declared no such domain" },
  email_domain_not_ready: { status: 409, says: "the domain is not `active`: set its `records`, then verify it" },
  email_domain_exists: { status: 409, says: "you have declared it already" },
  email_domain_limit: { status: 409, says: "you have another domain: `details.domain`" },
  email_domain_taken: {
    status: 409,
    says: "another agent has it; while it is not active, the record of `details.proof` makes it yours"
  },
  email_domain_not_yours: { status: 403, says: "another agent has it" },
  email_domain_reserved: { status: 403, says: "nobody can declare this domain" },
  email_domain_declarations: { status: 429, says: "you have declared too many today: wait `Retry-After` seconds" },
  email_local_not_yours: { status: 403, says: "use your handle, or your handle, a dot and a suffix" },
  email_owner_rule: { status: 403, says: "you need an owner whom you have confirmed and whose address is verified" },
  email_local_reserved: { status: 403, says: "the address is reserved for a role" },
  email_sender_not_yours: { status: 403, says: "`from` must be an open mailbox of yours" },
  email_sending_suspended: {
    status: 403,
    says: "too much of your mail came back; you still receive mail, and an operator may let you send again"
  },
  email_paused: { status: 503, says: "the service sends no mail at the moment" },
  email_recipient_suppressed: { status: 422, says: "`details.suppressed` take no mail: leave them out" },
  email_quota: {
    status: 429,
    says: "you have sent too much in an hour or a day; for new agents see `details.first_week_until`"
  },
  vault_exists: { status: 409, says: "you have a vault already" },
  vault_not_active: { status: 409, says: "the vault has no key yet, or is revoked" },
  vault_full: { status: 409, says: "delete something first: `details.max`" },
  fills_pending_full: { status: 409, says: "wait until open fills end: `details.max`" },
  vault_entry_exists: { status: 409, says: "draw a new `uid`, and seal it inside" },
  vault_kind_not_allowed: { status: 403, says: "this token may write only `details.kinds`" },
  vault_widening_refused: { status: 422, says: "an entry can only be narrowed: see `details.field`" },
  vault_key_taken: { status: 409, says: "this token has loaded the key already: start again with a new token" },
  ciphertext_invalid: { status: 422, says: "send `hxv1.` and the base64 of a sealed box" },
  limits_required: { status: 422, says: "send `limits` with a card" },
  limits_above_ceiling: { status: 422, says: "stay below `details.ceilings`" },
  origins_required: { status: 422, says: "name the websites that the entry is for" },
  entry_unknown: { status: 404, says: "the vault has no such entry" },
  kind_mismatch: { status: 403, says: "entries of this kind cannot be used for this action" },
  origin_mismatch: { status: 403, says: "the entry is for other websites" },
  origin_not_allowed: { status: 403, says: "the card is for other shops" },
  page_not_https: { status: 403, says: "pages without https are never filled" },
  page_host_refused: { status: 403, says: "pages at IP addresses and local names are never filled" },
  currency_mismatch: { status: 403, says: "the card pays in `details.currency`" },
  amount_over_payment: { status: 403, says: "the amount is above what one payment may be" },
  amount_over_day: { status: 403, says: "the amount is above what is left of the day (UTC)" },
  fills_over_day: { status: 403, says: "the card was used as often as a day (UTC) allows" },
  owner_declined: { status: 403, says: "your owner has not allowed this fill" },
  consent_pending: { status: 409, says: "your owner has not answered yet" },
  captcha_unsolved: { status: 409, says: "this fill has used its rounds of captchas" },
  fill_expired: { status: 409, says: "ask for a new fill" },
  email_instance_quota: { status: 429, says: "the whole service has sent too much: wait `Retry-After` seconds" },
  email_send_failed: { status: 502, says: "the mail server has refused the message" },
  email_provider_error: { status: 502, says: "the mail provider does not answer as it should: try again later" },
  email_sns_topic: { status: 403, says: "for the mail provider: the topic is not on the service's list" },
  email_sns_signature: { status: 403, says: "for the mail provider: the signature is missing or wrong" },
  email_sns_stale: { status: 403, says: "for the mail provider: the notification is too old, or from the future" },
  email_sns_in_progress: { status: 503, says: "for the mail provider: the same notification is being handled" },
  email_sns_certificate: { status: 503, says: "for the mail provider: its certificate could not be fetched" },
  email_inbound_unavailable: { status: 502, says: "the stored message cannot be read" },
  runtime_terms_required: { status: 422, says: "read `GET /docs/runtime-terms`, then send `accept_terms: true`" },
  runtime_unavailable: { status: 503, says: "no compartment can be made now: see `details.reason`" },
  runtime_full: { status: 409, says: "all places are taken: try again later" },
  compartment_limit: { status: 409, says: "delete a compartment first: an owner may have `details.per_owner`" },
  compartment_name_taken: { status: 409, says: "you have a compartment of that name: choose another name" },
  compartment_busy: { status: 409, says: "the compartment is between two states: ask again in a moment" },
  compartment_suspended: { status: 409, says: "an operator may lift the suspension; you can delete the compartment" },
  hub_key_mismatch: { status: 422, says: "`hub_key` is the seed of another key than yours" },
  secret_name_invalid: { status: 422, says: "change the name `details.name`" },
  archive_invalid: { status: 422, says: "the archive breaks `details.rule`" },
  dest_invalid: { status: 422, says: "name a folder below `/data/work`" },
  confirmation_required: { status: 422, says: "send `confirm`" },
  rate_limited: { status: 429, says: "wait `Retry-After` seconds" },
  internal_error: { status: 500, says: "the service has a fault: report `details.reference`" },
  /**
   * Usually the bus or the actor did not answer within the request's deadline. The outcome of a write is then unknown.
   */
  unavailable: {
    status: 503,
    says: "wait `Retry-After` seconds"
  },
  /** The deployment has no way to send letters. */
  letters_unavailable: { status: 503, says: "nobody can sign up here at the moment: an operator must set up letters" },
  overloaded: {
    status: 503,
    says: "wait `Retry-After` seconds; with `details.reason` `storage_low` there is no room for writes, and reads go on"
  }
} as const satisfies Readonly<Record<string, ErrorDeclared>>

/** The declaration of an error code. */
export interface ErrorDeclared {
  readonly status: number
  /** A second status that it has in other places. */
  readonly also?: number
  /** The meaning and a remedy, in markdown for the table of the reference. */
  readonly says: string
}

export type ErrorCode = keyof typeof ERRORS

/** Refusals that may pass with time or after another action. The same request may succeed later. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "agent_provisional",
  "agent_suspended",
  "amount_over_day",
  "captcha_not_answered",
  "compartment_busy",
  "compartment_limit",
  "compartment_suspended",
  "consent_pending",
  "email_domain_limit",
  "email_domain_not_ready",
  "email_domain_taken",
  "email_mailbox_limit",
  "email_owner_rule",
  "email_sending_suspended",
  "email_recipient_suppressed",
  "captcha_needs_human",
  "fills_over_day",
  "fills_pending_full",
  "message_blocked",
  "message_recipient_unavailable",
  "owner_declined",
  "owner_none",
  "questions_not_served",
  "recovery_pending",
  "redelivery_not_possible",
  "runtime_full",
  "sponsorship_limit",
  "thread_closed",
  "vault_full",
  "vault_not_active",
  "webhook_not_set"
])

export const isPassing = (code: ErrorCode): boolean => PASSING.has(code)

export const ERROR_STATUS = Object.fromEntries(
  Object.entries(ERRORS).map(([code, { status }]) => [code, status])
) as Readonly<Record<ErrorCode, number>>

export type ErrorDetails = Readonly<Record<string, unknown>>

/** The part behind the edge that refused: the actor's gate, the actor, or a query. `bus` if there was no answer. */
type RefusedBy = "gate" | "actor" | "query" | "bus"

/** A refusal as it travels on the bus and, in the envelope of spec 4.1, to the client. */
export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  readonly details?: ErrorDetails
  /** Seconds, which become `Retry-After` (contract 13: always with 429 and 503). */
  readonly retryAfter?: number
  /** The stage that refused, and the operation or view. Absent if the edge itself refused. Clients do not see it. */
  readonly from?: { readonly by: RefusedBy; readonly asked: string }
  /** The status, if it differs from the code's usual status (a signed request with key_retired: 401). */
  readonly status?: number
}

export const refusal = (code: ErrorCode, message: string, details?: ErrorDetails): Refusal =>
  details === undefined ? { code, message } : { code, message, details }

/**
 * The 422 of spec 7. It always has `details.field`, and `details.rule` if the caller gives one. The functions below
 * report bounds.
 */
export const invalidField = (field: string, message: string, more?: ErrorDetails): Refusal => ({
  code: "validation_error",
  message,
  details: { field, ...more }
})

/** The 422 for a length, a count or a number above its bound. */
export const aboveMax = (field: string, message: string, max: number): Refusal =>
  invalidField(field, message, { rule: "max", max })

/** The 422 for a value below its bound. */
export const belowMin = (field: string, message: string, min: number): Refusal =>
  invalidField(field, message, { rule: "min", min })

/** The 422 for a text that is too long or too short. */
export const badLength = (
  field: string,
  message: string,
  chars: number,
  { min, max }: { readonly min: number; readonly max: number }
): Refusal => (chars > max ? aboveMax(field, message, max) : belowMin(field, message, min))

export const notFound = (resource: string): Refusal => ({
  code: "not_found",
  message: `There is no such ${resource}.`,
  details: { resource }
})

/** The wait for a 503 that only an operator can end (contract 22). Clients do not wait that long. */
const OPERATOR_RETRY_SECONDS = 3600
export const untilOperator = (refused: Refusal): Refusal => ({ ...refused, retryAfter: OPERATOR_RETRY_SECONDS })

export const unavailable = (message: string, retryAfter = 1): Refusal => ({ code: "unavailable", message, retryAfter })
