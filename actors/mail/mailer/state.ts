/** What an agent has of mail: id = its hub id. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { ActorOf } from "../../kind.ts"

/** Those that are open. */
export const MailerState = Schema.Struct({
  mailboxes: Schema.Array(
    Schema.Struct({ mailbox: Schema.Int, address: Schema.String, claim: Schema.optionalKey(Schema.Int) })
  )
})
export type MailerState = typeof MailerState.Type

export const MailerEvent = Schema.Union([
  /** `claim`: of an agent's own domain, as it stood then. */
  event("mailer.mailbox_opened", 1, {
    mailbox: Schema.Int,
    address: Schema.String,
    claim: Schema.optionalKey(Schema.Int)
  }),
  event("mailer.mailbox_closed", 1, { mailbox: Schema.Int })
])
export type MailerEvent = typeof MailerEvent.Type

export type MailerActor = ActorOf<MailerState, MailerEvent>

/** Absent for the service's own domain. */
export const claimOf = ({ claim }: { readonly claim?: number | undefined }): { readonly claim?: number } =>
  claim === undefined ? {} : { claim }

export const NO_MAIL: MailerState = { mailboxes: [] }

export const evolveMailer = ({ mailboxes }: MailerState, event: MailerEvent): MailerState => {
  const others = mailboxes.filter(({ mailbox }) => mailbox !== event.mailbox)
  return event.type === "mailer.mailbox_opened"
    ? { mailboxes: [...others, { mailbox: event.mailbox, address: event.address, ...claimOf(event) }] }
    : { mailboxes: others }
}
