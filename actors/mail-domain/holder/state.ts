/** The one domain that an agent has. Its id is the agent's hub id. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { ActorOf } from "../../kit/kind.ts"

export const MailDomainHolderState = Schema.Struct({
  domain: Schema.NullOr(Schema.String),
  /** The times at which the agent declared a domain within the last day: Unix ms, ascending. */
  declared: Schema.Array(Schema.Number)
})
export type MailDomainHolderState = typeof MailDomainHolderState.Type

export const MailDomainHolderEvent = Schema.Union([
  event("mail_domain_holder.declared", 1, { domain: Schema.String }),
  event("mail_domain_holder.left", 1, { domain: Schema.String })
])
export type MailDomainHolderEvent = typeof MailDomainHolderEvent.Type

export type MailDomainHolderActor = ActorOf<MailDomainHolderState, MailDomainHolderEvent>

export const NO_DOMAIN: MailDomainHolderState = { domain: null, declared: [] }

export const DAY_MS = 86_400_000

export const declaredWithin = ({ declared }: MailDomainHolderState, at: number): ReadonlyArray<number> =>
  declared.filter((time) => time > at - DAY_MS)

export const evolveHolder = (
  state: MailDomainHolderState,
  event: MailDomainHolderEvent,
  { at }: { readonly at: number }
): MailDomainHolderState =>
  event.type === "mail_domain_holder.declared"
    ? { domain: event.domain, declared: [...declaredWithin(state, at), at] }
    : { ...state, domain: state.domain === event.domain ? null : state.domain }
