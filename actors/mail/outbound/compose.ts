/**
 * Composes an agent's mail as the bytes of a message (RFC 5322; spec 4.9).
 *
 * Invariants
 *  - A message has the same id, date and boundaries at each attempt and for each recipient.
 *  - Header values are one line, folded and encoded by the library. No header contains a blind recipient.
 *  - No content is fetched from elsewhere.
 */
import MailComposer from "nodemailer/lib/mail-composer"
import { addressee } from "../../../schemas/mail/addresses.ts"
import { escaped } from "../../kit/escaped.ts"
import type { SendJob } from "../../../schemas/mail/sending-operations.ts"
import { recipientsOf, type SentContent } from "../../../schemas/mail/sent.ts"

interface Shape {
  /** The text below the message; `null` if there is none. */
  readonly footer: string | null
  /** The id of the sending in the queue, for a provider that names messages by their headers. */
  readonly sending: string
  /** A token `<sending>-<token>`. Reports that repeat it are trusted. */
  readonly report: string
  /** The address at which its recipient can unsubscribe. */
  readonly unsubscribe: string
}

const LINE_BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu

const line = (text: string): string => text.replace(LINE_BREAKS, " ").trim()

/** Parts of these types would be in the message without encoding, with any lines that an agent wrote. */
const UNENCODED = /^(?:message|multipart)\//i

const parties = (all: ReadonlyArray<string>) =>
  all.flatMap((text) => {
    const found = addressee(text)
    return found === null ? [] : [found]
  })

const withFooter = (text: string | null, html: string | null, footer: string | null) => ({
  text: text === null || footer === null ? text : `${text}\n\n-- \n${footer}\n`,
  html: html === null || footer === null ? html : `${html}\n<p>-- <br>${escaped(footer)}</p>\n`
})

/** From this number of recipients on, they may not know each other, and each copy has the header List-Unsubscribe. */
const STRANGERS_MIN = 2

export const composed = (
  job: SendJob,
  content: SentContent,
  { footer, sending, report, unsubscribe }: Shape
): Promise<Buffer> => {
  const { summary, references, rfc_id, agent, at } = job
  const { text, html } = withFooter(content.text, content.html, footer)
  const several = recipientsOf(summary).length >= STRANGERS_MIN
  const composer = new MailComposer({
    from: { name: line(summary.from.name), address: summary.from.address },
    to: parties(summary.to),
    cc: parties(summary.cc),
    ...(summary.reply_to === null ? {} : { replyTo: summary.reply_to }),
    subject: line(summary.subject),
    ...(text === null ? {} : { text }),
    ...(html === null ? {} : { html }),
    ...(references.length === 0
      ? {}
      : { inReplyTo: `<${references.at(-1) ?? ""}>`, references: references.map((id) => `<${id}>`) }),
    messageId: `<${rfc_id}>`,
    date: new Date(at),
    headers: {
      "Auto-Submitted": "auto-generated",
      "X-Hub-Agent": line(agent),
      "X-Hub-Sending": sending,
      "X-Hub-Report": report,
      ...(several ? { "List-Unsubscribe": `<mailto:${unsubscribe}>` } : {})
    },
    attachments: content.attachments.map(({ filename, content_type, content_base64 }) => ({
      filename: line(filename).split(/[/\\]/).at(-1) ?? "",
      contentType: UNENCODED.test(content_type) ? "application/octet-stream" : content_type,
      content: Buffer.from(content_base64, "base64")
    })),
    textEncoding: "quoted-printable",
    baseBoundary: `hub_${job.mail}`,
    newline: "\r\n",
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true
  })
  return composer.compile().build()
}
