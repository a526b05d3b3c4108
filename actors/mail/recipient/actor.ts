/**
 * Decides whether agents may write to an address (contract 20). Its id is `recipientId`. Its newest event has the whole
 * state. `null`: agents may write to it.
 */
import { Schema } from "effect"
import { recipientOperations, SUPPRESSIONS } from "../../../schemas/mail/sending-operations.ts"
import { Sealed } from "../../../schemas/secret/sealed.ts"
import { read, write } from "../../engine/definition.ts"
import { event } from "../../engine/events.ts"
import { type ActorOf, type Fold, kind } from "../../kit/kind.ts"

const suppressed = {
  reason: Schema.Literals(SUPPRESSIONS),
  /** The address, sealed under the service's key. */
  sealed: Sealed
}

export const MailRecipientState = Schema.NullOr(Schema.Struct(suppressed))
export type MailRecipientState = typeof MailRecipientState.Type

export const MailRecipientEvent = Schema.Union([
  event("mail_recipient.suppressed", 1, suppressed),
  event("mail_recipient.lifted", 1)
])
export type MailRecipientEvent = typeof MailRecipientEvent.Type

export const evolveMailRecipient = (_state: MailRecipientState, event: MailRecipientEvent): MailRecipientState =>
  event.type === "mail_recipient.suppressed" ? { reason: event.reason, sealed: event.sealed } : null

const fold: Fold<ActorOf<MailRecipientState, MailRecipientEvent>> = {
  kind: "mail_recipient",
  state: MailRecipientState,
  initial: null,
  events: MailRecipientEvent,
  evolve: evolveMailRecipient
}

export const mailRecipientKind = kind(fold, recipientOperations, () => ({
  operations: {
    "mail_recipient.suppress": write({
      // The first reason stays, so that the list shows why the suppression began.
      decide: (state, { reason, sealed }) => ({
        events: state === null ? [{ type: "mail_recipient.suppressed", v: 1, reason, sealed }] : []
      }),
      answer: () => null
    }),
    "mail_recipient.look": read((state) => ({ data: { suppressed: state !== null } })),
    "mail_recipient.lift": write({
      decide: (state) => ({
        events: state === null ? [] : [{ type: "mail_recipient.lifted", v: 1 }],
        reply: { changed: state !== null }
      }),
      answer: (_state, reply) => reply
    })
  }
}))
