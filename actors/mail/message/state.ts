/**
 * A message of mail and its events (spec 2.9). `null`: none, or none any more: the log keeps it for as long as it is
 * kept, and a day. What it says stands in it sealed under its mailbox's key.
 */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { ActorOf } from "../../kind.ts"
import { receivedFields } from "../box/state.ts"

const { agent, mailbox, envelope, key, parts } = receivedFields

export const MailMessageState = Schema.NullOr(
  Schema.Struct({
    agent,
    mailbox,
    envelope,
    key,
    parts,
    received_at: Schema.Number,
    read_at: Schema.NullOr(Schema.Number)
  })
)
export type MailMessageState = typeof MailMessageState.Type

export const MailMessageEvent = Schema.Union([
  event("mail.received", 1, receivedFields),
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
  if (event.type === "mail.received") {
    const { agent, mailbox, envelope, key, parts } = event
    return { agent, mailbox, envelope, key, parts, received_at: at, read_at: null }
  }
  if (state === null || event.type === "mail.expired") return null
  return { ...state, read_at: state.read_at ?? at }
}
