/**
 * The owner of an address (spec 4.9). An address at the service's domain belongs to an agent for good. An address at an
 * agent's own domain (`custom`) becomes free when its mailbox is closed. `mailbox` is set while a mailbox is open
 * there. Other actors write the events.
 */
import { Schema } from "effect"
import { notFound } from "../../../schemas/errors.ts"
import { addressOperations } from "../../../schemas/mail/operations.ts"
import { read } from "../../engine/definition.ts"
import { event } from "../../engine/events.ts"
import { type ActorOf, type Fold, kind } from "../../kit/kind.ts"

export const MailAddress = Schema.NullOr(
  Schema.Struct({
    agent: Schema.String,
    mailbox: Schema.NullOr(Schema.Int),
    custom: Schema.optionalKey(Schema.Literal(true))
  })
)
export type MailAddress = typeof MailAddress.Type

/** Absent for an address at the service's own domain. */
const custom = { custom: Schema.optionalKey(Schema.Literal(true)) }

export const MailAddressEvent = Schema.Union([
  event("mail_address.taken", 1, { agent: Schema.String, mailbox: Schema.Int, ...custom }),
  event("mail_address.left", 1, { agent: Schema.String, ...custom })
])
export type MailAddressEvent = typeof MailAddressEvent.Type

export const evolveMailAddress = (_state: MailAddress, event: MailAddressEvent): MailAddress => ({
  agent: event.agent,
  mailbox: event.type === "mail_address.taken" ? event.mailbox : null,
  ...(event.custom === true ? { custom: true } : {})
})

const fold: Fold<ActorOf<MailAddress, MailAddressEvent>> = {
  kind: "mail_address",
  state: MailAddress,
  initial: null,
  events: MailAddressEvent,
  evolve: evolveMailAddress
}

export const mailAddressKind = kind(fold, addressOperations, () => ({
  operations: {
    "mail_address.look": read((state) =>
      state === null
        ? { refused: notFound("mail address") }
        : { data: { agent: state.agent, mailbox: state.mailbox, custom: state.custom === true } }
    )
  }
}))
