/**
 * A mail message and its events (spec 2.9): received or sent. `null`: it never existed, or was deleted. The log keeps
 * its events for a day longer than the message. Its content is sealed under its mailbox's key.
 */
import { Schema } from "effect"
import { BlobRef } from "../../../schemas/blob/operations.ts"
import { event } from "../../engine/events.ts"
import type { ActorOf } from "../../kit/kind.ts"
import { receivedFields } from "../box/state.ts"

const { agent, mailbox, envelope, key, parts, words, own, follows } = receivedFields

const sent = {
  agent,
  mailbox,
  /** The `SentEnvelope` of keys.ts, sealed. */
  envelope,
  /** The key of the content. */
  key,
  content: BlobRef
}

const Received = Schema.Struct({
  box: Schema.Literal("inbox"),
  agent,
  mailbox,
  envelope,
  key,
  parts,
  received_at: Schema.Number,
  read_at: Schema.NullOr(Schema.Number)
})

const Sent = Schema.Struct({ box: Schema.Literal("sent"), ...sent, sent_at: Schema.Number })
export type SentValue = typeof Sent.Type

export const MailMessageState = Schema.NullOr(Schema.Union([Received, Sent]))
export type MailMessageState = typeof MailMessageState.Type

export const MailMessageEvent = Schema.Union([
  event("mail.received", 1, receivedFields),
  event("mail.queued", 1, { ...sent, words, own, follows }),
  event("mail.read", 1, { agent: Schema.String }),
  event("mail.expired", 1, { agent: Schema.String })
])
export type MailMessageEvent = typeof MailMessageEvent.Type

export type MailMessageActor = ActorOf<MailMessageState, MailMessageEvent>

export const evolveMail = (
  state: MailMessageState,
  event: MailMessageEvent,
  { at }: { readonly at: number }
): MailMessageState => {
  switch (event.type) {
    case "mail.received": {
      const { agent, mailbox, envelope, key, parts } = event
      return { box: "inbox", agent, mailbox, envelope, key, parts, received_at: at, read_at: null }
    }
    case "mail.queued": {
      const { agent, mailbox, envelope, key, content } = event
      return { box: "sent", agent, mailbox, envelope, key, content, sent_at: at }
    }
    case "mail.read":
      return state?.box === "inbox" ? { ...state, read_at: state.read_at ?? at } : state
    case "mail.expired":
      return null
  }
}
