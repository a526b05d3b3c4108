/**
 * The public forms of an identity: its record and its part of a verification verdict. The agent's private views are
 * here too (spec 2.4, 2.6).
 */
import { API_PREFIX, API_VERSION } from "../../../schemas/version.ts"
import { VERIFY_REASONS } from "../../../schemas/identity/reasons.ts"
import {
  type DirectorySignature,
  type IdentityRecord,
  type Recovery,
  type Verdict
} from "../../../schemas/identity/records.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { agentNumber, IDENTITY_SCHEME, userAgentOf } from "../../../schemas/signing/identity.ts"
import { jwkOf } from "../../../schemas/signing/jwk.ts"
import { iso } from "../../../schemas/iso.ts"
import type { Agent } from "../state.ts"
import { type AgentKey, currentKey } from "./state.ts"

const HEADERS = ["Hub-Id", "Hub-Timestamp", "Hub-Nonce", "Hub-Signature"] as const

type StatusFields = Pick<IdentityRecord, "status" | "moderation">

export const standingOf = (status: string): StatusFields => {
  switch (status) {
    case "suspended":
    case "banned":
      return { status: "flagged", moderation: status }
    case "deleted":
      return { status: "retired", moderation: null }
    default:
      return { status: "active", moderation: null }
  }
}

const provisionalOf = ({ provisional }: Agent): { readonly provisional?: true } =>
  provisional ? { provisional: true } : {}

export const profileUrlOf = (status: string, handle: string, baseUrl: string): string | null =>
  status === "active" || status === "suspended" ? `${baseUrl}/agents/${handle}` : null

export const idUrlOf = (number: string, baseUrl: string): string => `${baseUrl}/id/${number}`

const keyShown = (key: AgentKey): IdentityRecord["keys"][number] => ({
  public_key: key.public_key,
  status: key.retired_at === undefined ? "current" : "retired",
  from: iso(key.from),
  ...(key.retired_at === undefined ? {} : { retired_at: iso(key.retired_at) }),
  ...(key.proof === undefined ? {} : { proof: key.proof })
})

export const identityRecord = (hubId: string, agent: Agent, baseUrl: string): IdentityRecord => {
  const id = agentNumber(agent.number)
  const api = `${baseUrl}${API_PREFIX}`
  const gone = agent.status === "deleted"
  return {
    id,
    hub_id: hubId,
    handle: agent.handle,
    name: agent.name,
    ...standingOf(agent.status),
    ...provisionalOf(agent),
    public_key: gone ? null : currentKey(agent),
    public_key_jwk: gone ? null : jwkOf(currentKey(agent)),
    keys: gone ? [] : agent.keys.map(keyShown),
    created_at: iso(agent.created_at),
    trust: agent.trust,
    reputation: agent.reputation,
    profile_url: profileUrlOf(agent.status, agent.handle, baseUrl),
    api_url: `${api}/agents/${hubId}`,
    id_url: idUrlOf(id, baseUrl),
    user_agent: userAgentOf(API_VERSION, id, idUrlOf(id, baseUrl)),
    verify: {
      headers: HEADERS,
      string_to_sign: [
        IDENTITY_SCHEME,
        "METHOD in upper case",
        "your host, lower case, without :443 or :80",
        "path and query exactly as sent",
        "Hub-Timestamp",
        "Hub-Nonce"
      ],
      online: `POST ${api}/id/verify with {method, host, path, headers}`,
      offline:
        "Check Hub-Signature (Ed25519) of the string with public_key, allow 300 seconds of skew, " +
        "remember nonces for 10 minutes, accept status active alone.",
      directory: `${api}/id/directory`,
      failure_reasons: VERIFY_REASONS,
      spec: `${api}/docs/hub-id`
    }
  }
}

export const verdictAgent = (agent: Agent, baseUrl: string): Omit<Verdict, "valid" | "reason" | "scheme"> => {
  const id = agentNumber(agent.number)
  return {
    id,
    handle: agent.handle,
    name: agent.name,
    trust: agent.trust,
    reputation: agent.reputation,
    ...standingOf(agent.status),
    ...provisionalOf(agent),
    profile_url: profileUrlOf(agent.status, agent.handle, baseUrl),
    id_url: idUrlOf(id, baseUrl)
  }
}

export const recoveryRecord = (agent: Agent, limits: Limits): Recovery => {
  const pending = agent.recovery?.pending ?? null
  return {
    recovery_public_key: agent.recovery?.public_key ?? null,
    set_at: agent.recovery === null ? null : iso(agent.recovery.set_at),
    delay_seconds: limits.identity.recovery_delay_seconds,
    pending: pending && {
      new_public_key: pending.new_public_key,
      requested_at: iso(pending.requested_at),
      effective_at: iso(pending.effective_at)
    }
  }
}

const keyDirectoryUrlOf = (number: string, baseUrl: string): string =>
  `${baseUrl}${API_PREFIX}/id/${number}/http-message-signatures-directory`

export const directorySignatureRecord = (agent: Agent, baseUrl: string): DirectorySignature => {
  const kept = agent.directory_signature
  return {
    directory_url: keyDirectoryUrlOf(agentNumber(agent.number), baseUrl),
    signature: kept?.signature ?? null,
    signature_input: kept?.signature_input ?? null,
    expires_at: kept === null ? null : iso(kept.expires_at)
  }
}
