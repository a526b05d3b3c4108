/**
 * A mail domain and its events (spec 3.6): id = `domainId`.
 *
 * Invariants
 *  - `claim` counts the declarations of a domain, and continues when no agent holds it any more. So a command for one
 *    claim never affects another.
 *  - An active domain was proven by every required record.
 *  - `claim_until` is set while the claim is not proven; `next_check` while the domain is active.
 */
import { Schema } from "effect"
import { DnsRecord } from "../../schemas/mail-domain/records.ts"
import { Sealed } from "../../schemas/secret/sealed.ts"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"

const NullableNumber = Schema.NullOr(Schema.Number)

const Key = Schema.Struct({ selector: Schema.String, public_key: Schema.String, sealed: Sealed })

const Status = Schema.NullOr(Schema.Literals(["PENDING", "TEMPORARY_FAILURE", "NOT_STARTED", "FAILED", "SUCCESS"]))

const looked = { found: Schema.Array(Schema.NullOr(Schema.Boolean)), provider: Status }

const declared = {
  domain: Schema.String,
  /** The agent that holds the domain; `null` for the service's own domain. */
  agent: Schema.NullOr(Schema.String),
  records: Schema.Array(DnsRecord),
  dkim: Key,
  claim_until: NullableNumber
}

export const HeldDomain = Schema.Struct({
  ...declared,
  active: Schema.Boolean,
  created_at: Schema.Number,
  failing_since: NullableNumber,
  downgraded_at: NullableNumber,
  next_check: NullableNumber,
  last_check: Schema.NullOr(Schema.Struct({ at: Schema.Number, ...looked }))
})
export type HeldDomain = typeof HeldDomain.Type

export const MailDomainState = Schema.Struct({
  claim: Schema.Int,
  held: Schema.NullOr(HeldDomain),
  /** The domain that the provider still has to forget. */
  left: Schema.NullOr(Schema.String),
  left_since: NullableNumber,
  /** Unix ms at which the provider is asked again to forget the domain; `null` if no retry is due. */
  forget_due: NullableNumber
})
export type MailDomainState = typeof MailDomainState.Type

export const MailDomainEvent = Schema.Union([
  /** `from`: the agent that held the domain before. */
  event("mail_domain.declared", 1, { ...declared, claim: Schema.Int, from: Schema.NullOr(Schema.String) }),
  /** The provider needs other records than before. */
  event("mail_domain.records_changed", 1, { records: Schema.Array(DnsRecord) }),
  event("mail_domain.checked", 1, { ...looked, claim_until: NullableNumber }),
  event("mail_domain.check_due", 1, { next_check: NullableNumber }),
  event("mail_domain.activated", 1, { agent: Schema.String }),
  event("mail_domain.failing", 1, {
    agent: Schema.String,
    domain: Schema.String,
    since: Schema.Number,
    missing: Schema.Array(Schema.String),
    days_left: Schema.Int
  }),
  event("mail_domain.recovered", 1, { agent: Schema.String }),
  event("mail_domain.downgraded", 1, {
    agent: Schema.String,
    domain: Schema.String,
    missing: Schema.Array(Schema.String)
  }),
  /** The domain has mailboxes, so the end of the claim is postponed. */
  event("mail_domain.claim_kept", 1, { claim_until: Schema.Number }),
  event("mail_domain.released", 1, {
    agent: Schema.String,
    domain: Schema.String,
    claim: Schema.Int,
    why: Schema.Literals(["given up", "expired"])
  }),
  event("mail_domain.forget_put_off", 1, { due: Schema.Number }),
  /** `given_up`: the service stopped trying, and the provider still has the domain. */
  event("mail_domain.forgotten", 1, { given_up: Schema.optionalKey(Schema.Boolean) })
])
export type MailDomainEvent = typeof MailDomainEvent.Type

export type MailDomainActor = ActorOf<MailDomainState, MailDomainEvent>

export const NOT_HELD: MailDomainState = {
  claim: 0,
  held: null,
  left: null,
  left_since: null,
  forget_due: null
}

export const evolveMailDomain = (
  state: MailDomainState,
  event: MailDomainEvent,
  { at }: { readonly at: number }
): MailDomainState => {
  if (event.type === "mail_domain.declared") {
    const { domain, agent, records, dkim, claim_until, claim } = event
    const fresh = { active: false, created_at: at, failing_since: null, downgraded_at: null, next_check: null }
    return { ...NOT_HELD, claim, held: { domain, agent, records, dkim, claim_until, ...fresh, last_check: null } }
  }
  if (event.type === "mail_domain.released")
    return { ...NOT_HELD, claim: state.claim, left: event.domain, left_since: at }
  if (event.type === "mail_domain.forget_put_off") return { ...state, forget_due: event.due }
  if (event.type === "mail_domain.forgotten") return { ...NOT_HELD, claim: state.claim, held: state.held }
  return state.held === null ? state : { ...state, held: evolveHeld(state.held, event, at) }
}

type OfHeld = Exclude<
  MailDomainEvent,
  {
    readonly type:
      | "mail_domain.declared"
      | "mail_domain.released"
      | "mail_domain.forget_put_off"
      | "mail_domain.forgotten"
  }
>

const evolveHeld = (held: HeldDomain, event: OfHeld, at: number): HeldDomain => {
  switch (event.type) {
    case "mail_domain.records_changed":
      // The earlier findings belong to the previous records.
      return { ...held, records: event.records, last_check: null }
    case "mail_domain.checked": {
      const { found, provider, claim_until } = event
      return { ...held, claim_until, last_check: { at, found, provider } }
    }
    case "mail_domain.check_due":
      return { ...held, next_check: event.next_check }
    case "mail_domain.activated":
      return { ...held, active: true, failing_since: null, downgraded_at: null }
    case "mail_domain.failing":
      return { ...held, failing_since: event.since }
    case "mail_domain.recovered":
      return { ...held, failing_since: null }
    case "mail_domain.downgraded":
      return { ...held, active: false, failing_since: null, downgraded_at: at, next_check: null }
    case "mail_domain.claim_kept":
      return { ...held, claim_until: event.claim_until }
  }
}
