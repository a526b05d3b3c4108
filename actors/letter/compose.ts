/**
 * Composes a letter as the bytes of a message (RFC 5322).
 *
 * Invariants
 *  - A letter has one recipient. An address that a mail server may read as two, or as more than an address, is refused.
 *    Header values are one line, folded and encoded by the library.
 *  - A letter has the same id, date and boundary each time, so that a receiver recognizes a repeated one.
 *  - No content is fetched from elsewhere, and nothing in it reports that it was read.
 */
import MailComposer from "nodemailer/lib/mail-composer"
import type { Sender } from "../../schemas/letter/settings.ts"
import { MAIL_ADDRESS } from "../../schemas/plain-text.ts"
import { isLetterId } from "./posting.ts"
import type { Laid } from "./templates/layout.ts"
import { line } from "./templates/template.ts"
import type { Message } from "../kit/mailing/transport.ts"

/** The limit of RFC 5321: a path has 256 octets including its brackets. */
const ADDRESS_MAX_CHARS = 254

interface Addressed {
  readonly id: string
  readonly to: string
  /** The person's own name, without markup. */
  readonly name: string
  readonly from: Sender
  /** Domain of the message's id. */
  readonly host: string
  /** Unix ms at which the letter was written. */
  readonly at: number
}

/** `null` if no letter can be sent to the address, or if the id is not a letter's. */
export const composed = async (laid: Laid, { id, to, name, from, host, at }: Addressed): Promise<Message | null> => {
  if (!isLetterId(id) || to.length > ADDRESS_MAX_CHARS || !MAIL_ADDRESS.test(to)) return null
  const messageId = `${id}@${host}`
  const composer = new MailComposer({
    from: { name: from.name, address: from.address },
    to: { name: line(name) ?? "", address: to },
    subject: laid.subject,
    text: laid.text,
    html: laid.html,
    messageId: `<${messageId}>`,
    date: new Date(at),
    headers: { "Auto-Submitted": "auto-generated" },
    textEncoding: "quoted-printable",
    baseBoundary: id,
    newline: "\r\n",
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true
  })
  return { id, from: from.address, to, messageId, bytes: await composer.compile().build() }
}
