/** The codes of a message, and its links with their purposes (spec 2.9). */
import type { MailCode, MailLink } from "../../../schemas/mail/records.ts"

export interface Readable {
  /** Address of the sender, in lower case; empty if there is none. */
  readonly from: string
  readonly subject: string
  /** Plain text; empty if the message has HTML alone. */
  readonly text: string
  readonly html: string | null
}

export interface FoundCodes {
  /** The highest confidence first. */
  readonly codes: ReadonlyArray<MailCode>
  /** The links of the HTML in their order, then those that only the text has. Each address is listed once. */
  readonly links: ReadonlyArray<MailLink>
}
