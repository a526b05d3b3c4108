/** Mail that agents send (spec 2.9, 4.9; contract 20). */
import { Schema } from "effect"
import { addressee } from "./addresses.ts"
import { attachmentFields, MailSender, mailRecordFields } from "./records.ts"

/** `failed` means that the message was not accepted, or that the outcome is unknown. `detail` says which. */
const SENDING_STATUSES = ["queued", "sent", "delivered", "bounced", "complained", "failed"] as const
export const SendingStatus = Schema.Literals(SENDING_STATUSES)
export type SendingStatus = typeof SendingStatus.Type

const SentRecipient = Schema.Struct({
  address: Schema.String,
  status: SendingStatus,
  /** The outcome, in words of this service. */
  detail: Schema.NullOr(Schema.String),
  /** True if the outcome was not reported. The mail may have arrived, and is not sent again. */
  unknown: Schema.Boolean
})
type SentRecipient = typeof SentRecipient.Type

/** The fields that the list of sent messages shows. */
export const SentSummary = Schema.Struct({
  ...mailRecordFields,
  mailbox: Schema.Struct({ id: Schema.Int, address: Schema.String }),
  from: MailSender,
  to: Schema.Array(Schema.String),
  cc: Schema.Array(Schema.String),
  bcc: Schema.Array(Schema.String),
  reply_to: Schema.NullOr(Schema.String),
  subject: Schema.String,
  excerpt: Schema.String,
  ...attachmentFields,
  /** Id of the message that this message answers. */
  in_reply_to: Schema.NullOr(Schema.String)
})
export type SentSummary = typeof SentSummary.Type

/** All recipients. A recipient's place in this list, counted from 1, is its number in the queue. */
export const recipientsOf = ({ to, cc, bcc }: Pick<SentSummary, "to" | "cc" | "bcc">): ReadonlyArray<string> => [
  ...to,
  ...cc,
  ...bcc
]

/** All recipients without names. */
export const addressesOf = (of: Pick<SentSummary, "to" | "cc" | "bcc">): ReadonlyArray<string> =>
  recipientsOf(of).map((text) => addressee(text)?.address ?? text)

const listed = {
  box: Schema.Literal("sent"),
  ...SentSummary.fields,
  thread_id: Schema.NullOr(Schema.String),
  sent_at: Schema.String,
  /** The most significant status of all recipients. */
  status: SendingStatus,
  recipients: Schema.Array(SentRecipient)
}

export const ListedSent = Schema.Struct(listed).annotate({ identifier: "ListedSent" })
export type ListedSent = typeof ListedSent.Type

export const SentMail = Schema.Struct({
  ...listed,
  text: Schema.NullOr(Schema.String),
  /** Present only with `?include=html`. */
  html: Schema.optionalKey(Schema.NullOr(Schema.String))
}).annotate({ identifier: "SentMail" })
export type SentMail = typeof SentMail.Type

const RANKS: ReadonlyArray<SendingStatus> = ["complained", "bounced", "failed", "queued", "sent", "delivered"]

/** The status of a message, derived from the statuses of its recipients. */
export const statusOfAll = (statuses: ReadonlyArray<SendingStatus>): SendingStatus =>
  RANKS.find((status) => statuses.includes(status)) ?? "queued"

/** The content of a sent message. It is stored sealed. */
export const SentContent = Schema.Struct({
  text: Schema.NullOr(Schema.String),
  html: Schema.NullOr(Schema.String),
  attachments: Schema.Array(
    Schema.Struct({ filename: Schema.String, content_type: Schema.String, content_base64: Schema.String })
  )
})
export type SentContent = typeof SentContent.Type
