/** What of a message lets somebody in (spec 2.9): codes, and links with what they are for. */
import type { MailCode, MailLink } from "../../../schemas/mail/records.ts"

export interface Readable {
  /** Address of the sender, in lower case; empty if there is none. */
  readonly from: string
  readonly subject: string
  /** Plain text; empty if the message has HTML alone. */
  readonly text: string
  readonly html: string | null
}

export interface Found {
  /** The surest first. */
  readonly codes: ReadonlyArray<MailCode>
  /** In the order of the message, each address once. */
  readonly links: ReadonlyArray<MailLink>
}
