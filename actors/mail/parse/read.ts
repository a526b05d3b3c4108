/**
 * Parses a message as mail (RFC 5322, MIME), by `postal-mime`. It runs in a thread of its own (worker.ts), so that
 * hostile messages can use up only that thread's time and memory.
 */
import type { Address, Attachment, Email } from "postal-mime"
import type { MailSender } from "../../../schemas/mail/records.ts"
import { findIn } from "../codes/find.ts"
import { cutTo } from "./cut.ts"
import type { ParsedAttachment, ParsedMail } from "./parsed.ts"
import { doubtsOf } from "./form.ts"
import { textOfHtml } from "./html-text.ts"
import { mailboxesIn } from "./mailboxes.ts"
import { parseMime } from "./mime.ts"

export interface ReadBounds {
  readonly attachments_kept_max: number
  readonly attachment_max_bytes: number
  readonly body_max_bytes: number
  readonly depth_max: number
  readonly headers_max_bytes: number
  readonly lines_max: number
  readonly links_max: number
}

const NAME_MAX_CHARS = 200
const SUBJECT_MAX_CHARS = 1000
const ADDRESSES_MAX = 100
const ADDRESS_MAX_CHARS = 320
const FOLLOWS_MAX = 20
const ID_MAX_CHARS = 998
const LF = 0x0a
const TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/
const ISO_8601 = /^\d{4}-\d{2}-\d{2}T/

/** Removes characters that not every store accepts. */
const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "")

/** Makes one line without control characters and characters that change the direction of writing. */
const line = (text: string, max: number): string =>
  [
    ...storable(text)
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, " ")
      .trim()
  ]
    .slice(0, max)
    .join("")

const flat = (
  addresses: ReadonlyArray<Address> = []
): ReadonlyArray<{ readonly name: string; readonly address: string }> =>
  addresses.flatMap((one) => (one.group === undefined ? [one] : one.group))

const shownAddresses = (addresses: ReadonlyArray<Address> | undefined): ReadonlyArray<string> =>
  flat(addresses)
    .slice(0, ADDRESSES_MAX)
    .map(({ address }) => line(address ?? "", ADDRESS_MAX_CHARS))
    .filter((address) => address !== "")

/** The first mailbox of the list (RFC 5322 3.6.2), even if it is not deliverable. */
const firstIn = ({ headers }: Email, header: "from" | "reply-to"): MailSender => {
  const all = mailboxesIn(headers.find(({ key }) => key === header)?.value ?? "")
  const [{ address, name } = { address: null, name: "" }] = all
  return { address: address ?? "", name: line(name, NAME_MAX_CHARS) }
}

const idsIn = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "")
    .split(/[<>\s,]+/)
    .filter((id) => id !== "" && id.length <= ID_MAX_CHARS)
    .map(storable)

/** The nearest messages come last in `References`. If there are too many, these are kept. */
const followed = ({ inReplyTo, references }: Email): ReadonlyArray<string> => [
  ...new Set([...idsIn(inReplyTo), ...idsIn(references).toReversed()].slice(0, FOLLOWS_MAX))
]

const filenameOf = (name: string | null): string | null => {
  const last = line((name ?? "").split(/[/\\]/).at(-1) ?? "", NAME_MAX_CHARS)
  return last === "" || last === "." || last === ".." ? null : last
}

const bytesOf = ({ content }: Attachment): Uint8Array =>
  typeof content === "string" ? Buffer.from(content) : new Uint8Array(content)

const keptAttachments = (all: ReadonlyArray<Attachment>, bounds: ReadBounds): ReadonlyArray<ParsedAttachment> =>
  all
    .map((one) => ({ one, bytes: bytesOf(one) }))
    .filter(({ bytes }) => bytes.length <= bounds.attachment_max_bytes)
    .slice(0, bounds.attachments_kept_max)
    .map(({ one: { filename, mimeType }, bytes }) => ({
      filename: filenameOf(filename),
      content_type: TYPE.test(mimeType) ? mimeType : "application/octet-stream",
      bytes
    }))

/** Checked because the library takes as long for an empty line as for a long one. */
const hasTooManyLines = (raw: Uint8Array, max: number): boolean => {
  let lines = 0
  for (let at = raw.indexOf(LF); at >= 0; at = raw.indexOf(LF, at + 1)) if (++lines > max) return true
  return false
}

/** Rejects if parts are nested too deep, a header is too long, or there are too many lines. */
export const readMail = async (raw: Uint8Array, bounds: ReadBounds): Promise<ParsedMail> => {
  if (hasTooManyLines(raw, bounds.lines_max)) throw new Error("too many lines")
  const { email, isDoubtful } = await parseMime(raw, {
    maxNestingDepth: bounds.depth_max,
    maxHeadersSize: bounds.headers_max_bytes,
    forceRfc822Attachments: true
  })
  const own = cutTo(storable(email.text ?? ""), bounds.body_max_bytes)
  const html = email.html === undefined ? null : cutTo(storable(email.html), bounds.body_max_bytes)
  const made = own.text.trim() === "" && html !== null ? textOfHtml(html.text, bounds.body_max_bytes) : own
  const attachments = keptAttachments(email.attachments, bounds)
  const from = firstIn(email, "from")
  const subject = line(email.subject ?? "", SUBJECT_MAX_CHARS)
  const { codes, links } = findIn({ from: from.address, subject, text: own.text, html: html?.text ?? null })
  const [messageId = null] = idsIn(email.messageId)
  const dropped = email.attachments.length - attachments.length
  return {
    parsed: true,
    truncated: own.cut || made.cut || html?.cut === true || dropped > 0 || links.length > bounds.links_max,
    from,
    doubts: [...doubtsOf(raw), ...(isDoubtful ? (["body_malformed"] as const) : [])],
    to: shownAddresses(email.to),
    cc: shownAddresses(email.cc),
    replyTo: firstIn(email, "reply-to").address || null,
    subject,
    date: ISO_8601.test(email.date ?? "") ? (email.date ?? null) : null,
    messageId,
    follows: followed(email),
    text: made.text,
    html: html?.text ?? null,
    attachments,
    attachments_dropped: dropped,
    codes,
    links: links.slice(0, bounds.links_max)
  }
}

/** A message that could not be parsed, kept in its raw form. */
export const unread = (raw: Uint8Array, { body_max_bytes }: Pick<ReadBounds, "body_max_bytes">): ParsedMail => {
  const whole = storable(new TextDecoder().decode(raw.subarray(0, 4 * body_max_bytes)))
  const { text } = cutTo(whole, body_max_bytes)
  return {
    parsed: false,
    truncated: raw.length > body_max_bytes,
    from: { address: "", name: "" },
    doubts: [],
    to: [],
    cc: [],
    replyTo: null,
    subject: "",
    date: null,
    messageId: null,
    follows: [],
    text,
    html: null,
    attachments: [],
    attachments_dropped: 0,
    codes: [],
    links: []
  }
}
