/**
 * Pure decisions: an agent declares a domain or gives it up.
 *
 * Invariants
 *  - The agent's list, the domain, and the list of its previous holder change in one commit. So a domain has one
 *    holder, and an agent has one domain.
 *  - An active domain cannot be taken over. A domain that is not active passes to another agent that proves it, in the
 *    same commit.
 */
import { refusal, type Refusal } from "../../../schemas/errors.ts"
import type { Operations } from "../../../schemas/bus/operations.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { DnsRecord } from "../../../schemas/mail-domain/records.ts"
import type { Companion, Decision } from "../../engine/definition.ts"
import { CLAIM_TIMER, forgetting, noDomain } from "../decide.ts"
import type { DkimKey } from "../dkim.ts"
import { domainId } from "../../../schemas/mail-domain/id.ts"
import type { MailDomainEvent } from "../state.ts"
import { DAY_MS, declaredWithin, type MailDomainHolderEvent, type MailDomainHolderState } from "./state.ts"

type MailLimits = Limits["limits"]["email"]
export type DomainStanding = Operations["mail_domain.standing"]["output"]

/** Why the agent itself may not declare a domain; `null` if it may. */
export const ownRefusal = (
  state: MailDomainHolderState,
  domain: string,
  at: number,
  { domains_per_agent: max, domain_declarations_per_day: limit }: MailLimits
): Refusal | null => {
  if (state.domain === domain) return refusal("email_domain_exists", "You have declared this domain.", { domain })
  if (state.domain !== null)
    return refusal("email_domain_limit", "An agent has one domain at most: give yours up first.", {
      domain: state.domain,
      max
    })
  const today = declaredWithin(state, at)
  if (today.length < limit) return null
  const retryAfter = Math.max(1, Math.ceil(((today.at(-limit) ?? at) + DAY_MS - at) / 1000))
  const details = { bucket: "email_domain_declarations", limit, window_seconds: DAY_MS / 1000, retry_after: retryAfter }
  return { code: "email_domain_declarations", message: `At most ${limit} domains a day.`, details, retryAfter }
}

/** Why an agent that has not proven the domain may not declare it; `null` if the domain is free. */
export const takenRefusal = (
  { held }: DomainStanding,
  agent: string,
  { type, name, value }: DnsRecord
): Refusal | null => {
  if (held === null) return null
  if (held.agent === null) return refusal("email_domain_reserved", "This is the service's own domain.")
  if (held.agent === agent) return refusal("email_domain_exists", "You have declared this domain.")
  return refusal(
    "email_domain_taken",
    held.active
      ? "Another agent has this domain, and it is active."
      : "Another agent has declared this domain. It is yours once this record stands and you declare it again.",
    {
      proof: { type, name, value },
      ...(held.claim_until === null ? {} : { unverified_claim_expires_at: new Date(held.claim_until).toISOString() })
    }
  )
}

export interface DeclareFacts {
  readonly standing: DomainStanding
  readonly proof: DnsRecord
  /** True if DNS has the proof. It is only looked up if another agent's domain may be taken over (`mayTake`). */
  readonly proven: boolean
  /** The sequence of the previous holder's last commit in the log; 0 if there is none. */
  readonly fromSeq: number
  /** All records except the proof. */
  readonly records: ReadonlyArray<DnsRecord>
  readonly dkim: DkimKey
}

/** True if another's domain may be taken over. */
export const mayTake = ({ held }: DomainStanding, agent: string): boolean =>
  held !== null && held.agent !== null && held.agent !== agent && !held.active

export const decideDeclare = (
  state: MailDomainHolderState,
  { domain }: { readonly domain: string },
  { id: agent, at, facts }: { readonly id: string; readonly at: number; readonly facts: DeclareFacts },
  limits: MailLimits
): Decision<MailDomainHolderEvent, null> => {
  const { standing, proof, proven, fromSeq, records, dkim } = facts
  const takes = mayTake(standing, agent) && proven
  const refused = ownRefusal(state, domain, at, limits) ?? (takes ? null : takenRefusal(standing, agent, proof))
  if (refused !== null) return { refused }
  const from = standing.held?.agent ?? null
  const claim_until = takes ? null : at + limits.domain_claim_seconds * 1000
  const [id, claim] = [domainId(domain), standing.claim + 1]
  const all = [proof, ...records]
  const declared: MailDomainEvent = {
    type: "mail_domain.declared",
    v: 1,
    domain,
    agent,
    records: all,
    dkim,
    claim_until,
    claim,
    from
  }
  const left: MailDomainHolderEvent = { type: "mail_domain_holder.left", v: 1, domain }
  const companions: Array<Companion> = [{ kind: "mail_domain", id, expected: standing.seq, events: [declared] }]
  if (from !== null) companions.push({ kind: "mail_domain_holder", id: from, expected: fromSeq, events: [left] })
  return {
    events: [{ type: "mail_domain_holder.declared", v: 1, domain }],
    companions,
    timers: claim_until === null ? [] : [{ name: CLAIM_TIMER, at: claim_until, of: { kind: "mail_domain", id } }]
  }
}

/** `domain`: the domain to give up; `null` for whichever the agent has. */
export const decideRelease = (
  state: MailDomainHolderState,
  { domain: wanted }: { readonly domain: string | null },
  { id: agent, at, facts }: { readonly id: string; readonly at: number; readonly facts: DomainStanding | null }
): Decision<MailDomainHolderEvent, { readonly claim: number }> => {
  const { domain } = state
  if (wanted !== null && wanted !== domain) return noDomain
  if (domain === null || facts === null) return { events: [] }
  const { seq, claim } = facts
  const id = domainId(domain)
  const released: MailDomainEvent = { type: "mail_domain.released", v: 1, agent, domain, claim, why: "given up" }
  return {
    events: [{ type: "mail_domain_holder.left", v: 1, domain }],
    reply: { claim },
    companions: [{ kind: "mail_domain", id, expected: seq, events: [released] }],
    timers: [forgetting(id, at)]
  }
}
