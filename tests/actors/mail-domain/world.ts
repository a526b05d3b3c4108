/** A mail domain and the agents who want it, by their decisions alone. */
import { expect } from "vitest"
import type { Decision } from "../../../actors/engine/definition.ts"
import type { Checked } from "../../../actors/mail-domain/checks.ts"
import {
  CHECK_TIMER,
  CLAIM_TIMER,
  decideCheck,
  decideClaimEnd,
  decideVerify
} from "../../../actors/mail-domain/decide.ts"
import { decideDeclare, decideRelease } from "../../../actors/mail-domain/holder/decide.ts"
import {
  evolveHolder,
  type MailDomainHolderEvent,
  type MailDomainHolderState,
  NO_DOMAIN
} from "../../../actors/mail-domain/holder/state.ts"
import type { ProviderStatus } from "../../../actors/mail-domain/provider.ts"
import {
  evolveMailDomain,
  type MailDomainEvent,
  type MailDomainState,
  NOT_HELD
} from "../../../actors/mail-domain/state.ts"
import type { DnsRecord } from "../../../schemas/mail-domain/records.ts"
import { LIMITS } from "../../../schemas/limits.ts"

export const EMAIL = LIMITS.limits.email
export const DAY = 86_400_000
export const BEGIN = Date.UTC(2026, 10, 24)
export const DOMAIN = "acme.example"

const record = (purpose: DnsRecord["purpose"], required = true): DnsRecord => ({
  type: purpose === "mx" ? "MX" : "TXT",
  name: `${purpose}.${DOMAIN}`,
  value: purpose,
  required,
  purpose
})
export const [PROOF, ...OTHERS] = [record("verification"), record("mx"), record("dmarc", false)] as const
export const DKIM = { selector: "hub1", public_key: "p", sealed: "s" }

export const ALL: Checked = { found: [true, true, false], provider: null }
export const NO_MX: Checked = { found: [true, false, false], provider: null }
export const NO_PROOF: Checked = { found: [false, true, false], provider: null }
export const SILENT: Checked = { found: [null, null, null], provider: null }
export const failed = (provider: ProviderStatus): Checked => ({ found: [true, true, true], provider })

/** One domain and the agents who want it, with the engine's commits played. */
export class World {
  state: MailDomainState = NOT_HELD
  seq = 0
  readonly holders = new Map<string, { seq: number; state: MailDomainHolderState }>()
  readonly events: Array<MailDomainEvent> = []
  at = BEGIN

  holder(agent: string) {
    return this.holders.get(agent) ?? { seq: 0, state: NO_DOMAIN }
  }

  declare(agent: string, proven = false): string {
    const standing = {
      seq: this.seq,
      claim: this.state.claim,
      held:
        this.state.held === null
          ? null
          : {
              agent: this.state.held.agent,
              active: this.state.held.active,
              claim_until: this.state.held.claim_until
            }
    }
    const from = this.state.held?.agent ?? null
    const facts = {
      standing,
      proof: PROOF,
      proven,
      fromSeq: from === null ? 0 : this.holder(from).seq,
      records: OTHERS,
      dkim: DKIM
    }
    const context = { id: agent, at: this.at, facts }
    return this.byHolder(agent, decideDeclare(this.holder(agent).state, { domain: DOMAIN }, context, EMAIL))
  }

  release(agent: string, domain: string | null = DOMAIN): string {
    const facts = { seq: this.seq, claim: this.state.claim, held: null }
    return this.byHolder(agent, decideRelease(this.holder(agent).state, { domain }, { id: agent, at: this.at, facts }))
  }

  verify(agent: string, facts: Checked): string {
    return this.byDomain(decideVerify(this.state, { agent }, { at: this.at, facts }, EMAIL))
  }

  /** The timer that the domain waits for. */
  check(facts: Checked): string {
    const due = this.state.held?.next_check ?? 0
    this.at = Math.max(this.at, due)
    return this.byDomain(decideCheck(this.state, { name: CHECK_TIMER, at: due }, { at: this.at, facts }, EMAIL))
  }

  claimEnds(mailboxes = 0): string {
    const due = this.state.held?.claim_until ?? 0
    this.at = Math.max(this.at, due)
    const agent = this.state.held?.agent ?? ""
    const facts = { mailboxes, holderSeq: this.holder(agent).seq }
    const fired = { name: CLAIM_TIMER, at: due }
    return this.byDomain(decideClaimEnd(this.state, fired, { id: "d", at: this.at, facts }, EMAIL))
  }

  private byDomain(decision: Decision<MailDomainEvent>): string {
    if ("refused" in decision) return decision.refused.code
    this.applied(decision.events)
    this.companions(decision)
    return decision.events.map(({ type }) => type.replace("mail_domain.", "")).join(" ")
  }

  private byHolder(agent: string, decision: Decision<MailDomainHolderEvent>): string {
    if ("refused" in decision) return decision.refused.code
    this.fold(agent, decision.events)
    this.companions(decision)
    return decision.events.map(({ type }) => type.replace("mail_domain_holder.", "")).join(" ")
  }

  private companions({ companions = [] }: Extract<Decision, { readonly companions?: unknown }>) {
    for (const { kind, id, expected, events } of companions) {
      expect(expected).toBe(kind === "mail_domain" ? this.seq : this.holder(id).seq)
      if (kind === "mail_domain") this.applied(events as ReadonlyArray<MailDomainEvent>)
      else this.fold(id, events as ReadonlyArray<MailDomainHolderEvent>)
    }
  }

  private applied(events: ReadonlyArray<MailDomainEvent>) {
    if (events.length === 0) return
    this.seq++
    this.events.push(...events)
    this.state = events.reduce((state, event) => evolveMailDomain(state, event, { at: this.at }), this.state)
  }

  private fold(agent: string, events: ReadonlyArray<MailDomainHolderEvent>) {
    const { seq, state } = this.holder(agent)
    const next = events.reduce((before, event) => evolveHolder(before, event, { at: this.at }), state)
    this.holders.set(agent, { seq: seq + events.length, state: next })
  }
}
