/**
 * Formats mail for the terminal. Text from strangers is marked by a bar, and shown with the verdicts about the sender.
 */
import type { ListedMail, Mail, MailCodes, MailSender, Verdicts } from "../../../schemas/mail/records.ts"
import type { ListedSent, SentMail } from "../../../schemas/mail/sent.ts"
import { oneLine } from "./output.ts"
import { apart, counted, when } from "./show.ts"

const sender = ({ address, name }: MailSender): string =>
  name === "" ? oneLine(address || "nobody") : `${oneLine(name)} <${oneLine(address)}>`

type ShownVerdicts = Pick<Verdicts, "dmarc" | "dkim" | "spf"> & Partial<Pick<Verdicts, "reasons">>

const verdictLine = ({ dmarc, dkim, spf, reasons = [] }: ShownVerdicts): string => {
  const why = reasons.length === 0 ? "" : ` (${reasons.map(oneLine).join(", ")})`
  return `  dmarc ${dmarc}${why}, dkim ${dkim}, spf ${spf}${dmarc === "PASS" ? "" : ": who sent it is not shown"}`
}

const receivedHead = (mail: Omit<ListedMail, "attachments">): ReadonlyArray<string> => [
  `${mail.message_id} from ${sender(mail.from)} to ${oneLine(mail.to)}, ${when(mail.received_at)}` +
    `${mail.read_at === null ? ", unread" : ""}`,
  verdictLine(mail.verdicts),
  ...mail.codes.map(({ code, confidence }) => `  code ${oneLine(code)} (${confidence})`)
]

export const sentHead = (mail: Omit<ListedSent, "attachments">): ReadonlyArray<string> => [
  `${mail.message_id} from ${oneLine(mail.from.address)}, ${when(mail.sent_at)}: ${mail.status}`,
  ...mail.recipients.map(
    ({ address, status, detail }) =>
      `  to ${oneLine(address)}: ${status}${detail === null ? "" : `, ${oneLine(detail)}`}`
  )
]

export const head = (mail: Omit<ListedMail, "attachments"> | Omit<ListedSent, "attachments">): ReadonlyArray<string> =>
  mail.box === "sent" ? sentHead(mail) : receivedHead(mail)

const attachmentLines = ({ attachments }: Pick<Mail, "attachments">): ReadonlyArray<string> =>
  attachments.map(
    ({ n, filename, size }) => `  attachment ${n}: ${oneLine(filename ?? "without a name")}, ${size} bytes`
  )

const receivedFoot = (mail: Mail): ReadonlyArray<string> => [
  ...mail.links.map(({ kind, url }) => `  ${kind} ${oneLine(url)}`),
  ...attachmentLines(mail),
  ...(mail.attachments_dropped === 0
    ? []
    : [`  ${counted(mail.attachments_dropped, "attachment", "attachments")} not kept`]),
  ...(mail.truncated ? ["  some of it was too long to be kept"] : [])
]

export const whole = (mail: Mail | SentMail, asHtml: boolean): ReadonlyArray<string> => [
  ...head(mail),
  ...apart(`${mail.subject}\n\n${(asHtml ? mail.html : mail.text) ?? ""}`),
  ...(mail.box === "sent" ? attachmentLines(mail) : receivedFoot(mail))
]

export const foundLines = ({
  message_id,
  from,
  subject,
  codes,
  links,
  ...verdicts
}: MailCodes): ReadonlyArray<string> => [
  `${message_id} from ${sender(from)}`,
  verdictLine(verdicts),
  ...apart(subject),
  ...codes.map(({ code, confidence }) => `  code ${oneLine(code)} (${confidence})`),
  ...links.map(({ kind, url }) => `  ${kind} ${oneLine(url)}`)
]
