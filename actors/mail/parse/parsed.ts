/** A parsed message: values that were made from a stranger's bytes, within limits (schemas/mail/limits.ts). */
import type { MailCode, MailLink, MailSender, VerdictReason } from "../../../schemas/mail/records.ts"

export interface ParsedAttachment {
  /** The name without any path; `null` if the sender gives none. */
  readonly filename: string | null
  /** The type that the sender declares, on one line; `application/octet-stream` if there is no valid one. */
  readonly content_type: string
  readonly bytes: Uint8Array
}

export interface ParsedMail {
  /** True if it could be parsed. Otherwise `text` is the raw message, up to the limit that is kept. */
  readonly parsed: boolean
  /** True if a text was cut, or if attachments or links were left out. */
  readonly truncated: boolean
  /** The address in From, in lower case with the domain as A-label. Empty if From has no valid address. */
  readonly from: MailSender
  /** Reasons why no proof of the message's origin counts. */
  readonly doubts: ReadonlyArray<VerdictReason>
  /** Addresses of the header, as written. */
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  /** The first mailbox of `Reply-To`, in the form of `from`; `null` if there is no valid one. */
  readonly replyTo: string | null
  /** The subject on a single line. */
  readonly subject: string
  /** The date in ISO 8601; `null` if there is no valid one. */
  readonly date: string | null
  /** The message id without angle brackets. */
  readonly messageId: string | null
  /** The ids in `In-Reply-To` and `References`, without angle brackets. */
  readonly follows: ReadonlyArray<string>
  /** The text parts, or the text of the HTML if there are none. */
  readonly text: string
  readonly html: string | null
  readonly attachments: ReadonlyArray<ParsedAttachment>
  readonly attachments_dropped: number
  readonly codes: ReadonlyArray<MailCode>
  readonly links: ReadonlyArray<MailLink>
}
