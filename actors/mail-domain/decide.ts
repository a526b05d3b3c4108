/** Pure decisions on one mail domain (spec 3.6; state.ts has the rules). */
import { refusal, type Refusal, unavailable } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { FiredTimer } from "../../schemas/timer.ts"
import { type Decision, firing, type Timer } from "../engine/definition.ts"
import { mayBeEarly } from "../mail/noun.ts"
import type { Checked } from "./checks.ts"
import type { DkimKey } from "./dkim.ts"
import type { MailDomainHolderEvent } from "./holder/state.ts"
import { hasAll, missingOf, provenBy } from "./matching.ts"
import type { DnsRecord } from "../../schemas/mail-domain/records.ts"
import type { HeldDomain, MailDomainEvent, MailDomainState } from "./state.ts"

type MailLimits = Limits["limits"]["email"]
type Decided = Decision<MailDomainEvent, null>

export const CHECK_TIMER = "check"
export const CLAIM_TIMER = "claim"
export const FORGET_TIMER = "forget"

const DAY_MS = 86_400_000

/** The entry in `missing` if the provider itself has given up the domain. */
const OF_PROVIDER = "provider"

const NOTHING = { events: [] } as const

const TOO_EARLY: { readonly refused: Refusal } = {
  refused: unavailable("This timer is not due yet by this node's clock.")
}

export const noDomain: { readonly refused: Refusal } = {
  refused: refusal("email_domain_unknown", "You have no such domain here.")
}

export type Claimed = HeldDomain & { readonly agent: string }

export const claimedBy = ({ held }: MailDomainState, agent: string): Claimed | null =>
  held !== null && held.agent === agent ? { ...held, agent } : null

const claimed = ({ held }: MailDomainState): Claimed | null =>
  held !== null && held.agent !== null ? { ...held, agent: held.agent } : null

/** A claim that was proven by a record does not expire. */
const checkedEvent = (held: Claimed, { found, provider }: Checked): MailDomainEvent => ({
  type: "mail_domain.checked",
  v: 1,
  found,
  provider,
  claim_until: provenBy(held.records, found) === true ? null : held.claim_until
})

/** The domain with the records that it needs now. */
const asNeeded = (
  held: Claimed,
  { records }: Checked
): { readonly held: Claimed; readonly events: Array<MailDomainEvent> } =>
  records === undefined
    ? { held, events: [] }
    : { held: { ...held, records }, events: [{ type: "mail_domain.records_changed", v: 1, records }] }

/** `facts`: the result of the check that was just made. */
export const decideVerify = (
  state: MailDomainState,
  { agent }: { readonly agent: string },
  { at, facts }: { readonly at: number; readonly facts: Checked },
  { domain_check_seconds }: MailLimits
): Decided => {
  const claim = claimedBy(state, agent)
  if (claim === null) return noDomain
  const { held, events } = asNeeded(claim, facts)
  events.push(checkedEvent(held, facts))
  if (!hasAll(held.records, facts.found)) return { events }
  if (held.active) {
    if (held.failing_since !== null && facts.provider !== "FAILED")
      events.push({ type: "mail_domain.recovered", v: 1, agent })
    return { events }
  }
  const next = at + domain_check_seconds * 1000
  events.push({ type: "mail_domain.activated", v: 1, agent }, { type: "mail_domain.check_due", v: 1, next_check: next })
  return { events, timers: [{ name: CHECK_TIMER, at: next }] }
}

/**
 * Compares a fired timer with the time that the domain waits for; `another` if the domain does not wait for this timer.
 */
export const dueFor = ({ held }: MailDomainState, fired: FiredTimer, at: number): "due" | "early" | "another" => {
  const until = fired.name === CHECK_TIMER ? held?.next_check : fired.name === CLAIM_TIMER ? held?.claim_until : null
  return until === null || until === undefined ? "another" : firing(fired, until, at)
}

export const decideCheck = (
  state: MailDomainState,
  fired: FiredTimer,
  { at, facts }: { readonly at: number; readonly facts: Checked },
  limits: MailLimits
): Decided => {
  const claim = claimed(state)
  const now = dueFor(state, fired, at)
  if (now === "early") return TOO_EARLY
  if (claim === null || now === "another") return NOTHING
  const { held, events } = asNeeded(claim, facts)
  events.push(checkedEvent(held, facts))
  const missing = [...missingOf(held.records, facts.found), ...(facts.provider === "FAILED" ? [OF_PROVIDER] : [])]
  const graceMs = limits.domain_grace_seconds * 1000
  const since = held.failing_since ?? at
  if (missing.length > 0 && at - since >= graceMs) return downgraded(held, events, missing, at, facts, limits)
  const next = at + limits.domain_check_seconds * 1000
  events.push({ type: "mail_domain.check_due", v: 1, next_check: next })
  const { agent, domain } = held
  if (missing.length > 0) {
    const days_left = Math.max(0, Math.ceil((since + graceMs - at) / DAY_MS))
    events.push({ type: "mail_domain.failing", v: 1, agent, domain, since, missing, days_left })
  } else if (held.failing_since !== null && hasAll(held.records, facts.found))
    events.push({ type: "mail_domain.recovered", v: 1, agent })
  return { events, timers: [{ name: CHECK_TIMER, at: next }] }
}

/**
 * The domain is no longer active. If its proof is not found either, it becomes an ordinary claim, which ends unless it
 * is proven in time.
 */
const downgraded = (
  { agent, domain, records }: Claimed,
  events: Array<MailDomainEvent>,
  missing: ReadonlyArray<string>,
  at: number,
  { found }: Checked,
  { domain_claim_seconds }: MailLimits
): Decided => {
  events.push({ type: "mail_domain.downgraded", v: 1, agent, domain, missing })
  // The claim needs an end: a claim without one would keep all others from using the domain.
  if (provenBy(records, found) === true) return { events }
  const claim_until = at + domain_claim_seconds * 1000
  events.push({ type: "mail_domain.claim_kept", v: 1, claim_until })
  return { events, timers: [{ name: CLAIM_TIMER, at: claim_until }] }
}

/** The number of the domain's mailboxes, and the sequence of its holder's last commit (`mail_domain_holder`). */
export interface ClaimFacts {
  readonly mailboxes: number
  readonly holderSeq: number
}

/** Ends a claim that was not proven in time. If the domain has mailboxes, the claim is kept for another term. */
export const decideClaimEnd = (
  state: MailDomainState,
  fired: FiredTimer,
  { id, at, facts }: { readonly id: string; readonly at: number; readonly facts: ClaimFacts },
  { domain_claim_seconds }: MailLimits
): Decided => {
  const held = claimed(state)
  const now = dueFor(state, fired, at)
  if (now === "early") return TOO_EARLY
  if (held === null || held.active || now === "another") return NOTHING
  if (facts.mailboxes > 0) {
    const claim_until = at + domain_claim_seconds * 1000
    return {
      events: [{ type: "mail_domain.claim_kept", v: 1, claim_until }],
      timers: [{ name: CLAIM_TIMER, at: claim_until }]
    }
  }
  const { agent, domain } = held
  const left: MailDomainHolderEvent = { type: "mail_domain_holder.left", v: 1, domain }
  return {
    events: [{ type: "mail_domain.released", v: 1, agent, domain, claim: state.claim, why: "expired" }],
    companions: [{ kind: "mail_domain_holder", id: agent, expected: facts.holderSeq, events: [left] }],
    timers: [forgetting(id, at)]
  }
}

/** The timer at which the provider is asked to forget the domain. */
export const forgetting = (id: string, at: number): Timer => ({
  name: FORGET_TIMER,
  at,
  of: { kind: "mail_domain", id }
})

type ForgetBounds = Pick<
  Limits["service"]["mail"],
  "forget_again_ms" | "forget_again_max_ms" | "forget_give_up_seconds"
>

const forgetDue = ({ held, left, forget_due }: MailDomainState, fired: FiredTimer, at: number) => {
  if (fired.name !== FORGET_TIMER || held !== null || left === null) return "another"
  return forget_due === null ? "due" : firing(fired, forget_due, at)
}

/** Returns the domain that the provider has to forget now; `null` if there is none. */
export const toForget = (state: MailDomainState, fired: FiredTimer, at: number): string | null =>
  forgetDue(state, fired, at) === "due" ? state.left : null

/** True if the time is over in which the provider is asked again to forget the domain. */
export const isForgetOver = (
  { left_since }: MailDomainState,
  at: number,
  { forget_give_up_seconds }: ForgetBounds
): boolean => at - (left_since ?? at) >= forget_give_up_seconds * 1000

/** `facts.forgotten`: whether the provider has forgotten the domain. */
export const decideForget = (
  state: MailDomainState,
  fired: FiredTimer,
  { id, at, facts }: { readonly id: string; readonly at: number; readonly facts: { readonly forgotten: boolean } },
  bounds: ForgetBounds
): Decided => {
  // The timer is set before the commit that gives the domain up, so it may fire a little early. A domain that was
  // claimed again stays.
  if (state.held !== null) {
    return mayBeEarly(fired, at) ? { refused: unavailable("The domain is held.") } : NOTHING
  }
  const now = forgetDue(state, fired, at)
  if (now === "early") return TOO_EARLY
  if (now === "another") return NOTHING
  if (facts.forgotten) return { events: [{ type: "mail_domain.forgotten", v: 1 }] }
  if (isForgetOver(state, at, bounds)) return { events: [{ type: "mail_domain.forgotten", v: 1, given_up: true }] }
  const age = at - (state.left_since ?? at)
  const due = at + Math.min(Math.max(age, bounds.forget_again_ms), bounds.forget_again_max_ms)
  return { events: [{ type: "mail_domain.forget_put_off", v: 1, due }], timers: [forgetting(id, due)] }
}

/** Facts of the service's own domain, made on first demand. */
export interface OwnFacts {
  readonly domain: string
  readonly records: ReadonlyArray<DnsRecord>
  readonly dkim: DkimKey
}

export const decideOwn = ({ held, claim }: MailDomainState, { facts }: { readonly facts: OwnFacts | null }): Decided =>
  held !== null || facts === null
    ? NOTHING
    : {
        events: [
          {
            type: "mail_domain.declared",
            v: 1,
            ...facts,
            agent: null,
            claim: claim + 1,
            from: null,
            claim_until: null
          }
        ]
      }
