/** The verdict on a request, with one reason. All modes of the verifier answer in this form. */
import { CLIENT_REASONS, type ClientReason, type VerifyReason } from "../../../schemas/identity/reasons.ts"
import { BOUNDS } from "./bounds.ts"

export type Reason = VerifyReason

export interface AgentFields {
  readonly handle: string | null
  /** `null` in the mode `directory`, because the directory has no names. */
  readonly name: string | null
  readonly trust: number | null
  readonly reputation: number | null
  readonly status: "active" | "flagged" | "retired" | null
  readonly moderation: "suspended" | "banned" | null
  readonly profile_url: string | null
  readonly id_url: string | null
}

export interface Verdict extends AgentFields {
  readonly valid: boolean
  /** `null` if the request is valid. */
  readonly reason: Reason | ClientReason | null
  readonly scheme: "hub-id" | "web-bot-auth"
  /**
   * The agent's number. If the agent is known, it is set together with the agent's fields, even if `valid` is false.
   */
  readonly id: string | null
  readonly message?: string
  readonly announced?: true
  readonly signature_ok?: true
}

export const MESSAGES: Readonly<Record<Reason | ClientReason, string>> = {
  headers_missing: "The request has no Hub-* headers and no User-Agent that announces an agent.",
  announced_only: "The User-Agent announces an agent, and nothing proves it.",
  headers_incomplete: "A proof has four headers: Hub-Id, Hub-Timestamp, Hub-Nonce and Hub-Signature.",
  id_malformed: "Hub-Id must be HX- and at least 6 digits, zero-padded to 6 and no further.",
  id_unknown: "No agent has this number, or it is too new: try again in a minute.",
  agent_retired: "The agent's owner has deleted the account.",
  timestamp_invalid: "Hub-Timestamp must be unix seconds, 9 to 11 digits; one of 13 counts milliseconds.",
  timestamp_expired: `Hub-Timestamp lies more than ${BOUNDS.windowSeconds} seconds from the clock.`,
  nonce_invalid: "Hub-Nonce must be 8 to 128 characters of A-Z a-z 0-9 _ - = . : + /",
  bad_signature: "Hub-Signature does not verify for this method, host and path by any key of the agent.",
  key_retired: "The signature was made with a key that the agent has replaced.",
  agent_suspended: "The signature is genuine; the agent is suspended.",
  agent_banned: "The signature is genuine; the agent is banned.",
  replayed: "This nonce of the agent was already verified.",
  hub_unreachable: "The hub could not be read, so nothing can be said about the agent.",
  lookup_limited: "The limit of single lookups is reached, so nothing can be said about the agent now.",
  scheme_not_supported: "Signatures of Web Bot Auth are judged in the mode `online` alone.",
  cache_unavailable: "The memory of nonces cannot take another, so a replay could not be told from a first request."
}

export const NO_AGENT: AgentFields = {
  handle: null,
  name: null,
  trust: null,
  reputation: null,
  status: null,
  moderation: null,
  profile_url: null,
  id_url: null
}

interface Extras {
  readonly announced?: true
  readonly signature_ok?: true
}

export const ANNOUNCED: Extras = { announced: true }
export const GENUINE: Extras = { signature_ok: true }

export const refuse = (
  reason: Reason | ClientReason,
  id: string | null = null,
  agent: AgentFields = NO_AGENT,
  extras?: Extras
): Verdict => ({
  valid: false,
  reason,
  scheme: "hub-id",
  id,
  ...agent,
  message: MESSAGES[reason],
  ...extras
})

/** The verdict on a Web Bot Auth signature in a mode that cannot verify it. */
export const notSupported: Verdict = { ...refuse("scheme_not_supported"), scheme: "web-bot-auth" }

/**
 * The HTTP status for a verdict: 200 if the request is valid, 403 if the agent is retired, suspended or banned, and 503
 * if the request could not be checked. For all other reasons it is 401.
 */
export const statusOf = ({ reason }: Verdict): 200 | 401 | 403 | 503 => {
  if (reason === null) return 200
  if (reason === "scheme_not_supported") return 401
  if ((CLIENT_REASONS as ReadonlyArray<string>).includes(reason)) return 503
  return reason === "agent_retired" || reason === "agent_suspended" || reason === "agent_banned" ? 403 : 401
}
