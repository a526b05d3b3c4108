/**
 * Makes the stored form of a parsed message for one mailbox: the sealed fields for lists, the marks of words for
 * searching, and the parts, which the store seals. Pure except for the nonces.
 */
import { createHash } from "node:crypto"
import type { SealedMail } from "../../../schemas/mail/operations.ts"
import {
  type MailAttachment,
  type MailLink,
  type MailSummary,
  messageIdOf,
  UNTRUSTED_AGENT_MAIL,
  UNTRUSTED_MAIL,
  type Verdicts
} from "../../../schemas/mail/records.ts"
import { attachmentPart, type StoredText, TEXT_PART } from "../../../schemas/mail/stored.ts"
import { mailExcerpt } from "../../../schemas/mail/excerpt.ts"
import { wordsOf } from "../../../schemas/mail/words.ts"
import type { Sealer } from "../../log/seal.ts"
import { markMessageId, markWord, sealEnvelope, sealKey } from "../keys.ts"
import type { ParsedMail } from "../parse/parsed.ts"
import type { Part } from "./store.ts"

/** Links and codes that a list entry shows; the message itself shows all. */
const LISTED_LINKS_MAX = 10
const LISTED_LINK_CHARS = 8000
const LISTED_CODES_MAX = 5
/** Words for searching are taken from this many characters at the beginning of a text. */
const SEARCHED_CHARS = 20_000
const FOLLOWS_MAX = 20

export interface Addressed {
  readonly mailbox: number
  readonly address: string
  /** The address as in the envelope. */
  readonly to: string
  readonly tags: ReadonlyArray<string>
}

const LETS_IN: ReadonlySet<string> = new Set(["confirmation", "password_reset", "login"])

/** True if the message has a code, or a link to log in or to confirm something. */
export const letsIn = ({ codes, links }: Pick<ParsedMail, "codes" | "links">): boolean =>
  codes.length > 0 || links.some(({ kind }) => LETS_IN.has(kind))

/** Links that log in or confirm come first. A link that does not fit is left out, and shorter ones after it may fit. */
const listedLinks = (links: ReadonlyArray<MailLink>): ReadonlyArray<MailLink> => {
  const ranked = [...links.filter(({ kind }) => LETS_IN.has(kind)), ...links.filter(({ kind }) => !LETS_IN.has(kind))]
  let chars = 0
  return ranked.slice(0, LISTED_LINKS_MAX).filter(({ url, text }) => {
    const next = chars + url.length + text.length
    if (next > LISTED_LINK_CHARS) return false
    chars = next
    return true
  })
}

export const summaryOf = (
  mail: ParsedMail,
  id: number,
  { mailbox, address, to, tags }: Addressed,
  { verdicts, own }: { readonly verdicts: Verdicts; readonly own: boolean }
): MailSummary => ({
  id: messageIdOf(id),
  message_id: messageIdOf(id),
  mailbox: { id: mailbox, address },
  to,
  tag: tags[0] ?? null,
  tags,
  from: mail.from,
  subject: mail.subject,
  excerpt: mailExcerpt(mail.text),
  codes: mail.codes.slice(0, LISTED_CODES_MAX),
  links: listedLinks(mail.links),
  attachments: attachmentsOf(mail),
  attachment_count: mail.attachments.length,
  verdicts,
  untrusted: own ? UNTRUSTED_AGENT_MAIL : UNTRUSTED_MAIL
})

const attachmentsOf = ({ attachments }: ParsedMail): ReadonlyArray<MailAttachment> =>
  attachments.map(({ filename, content_type, bytes }, index) => ({
    n: index + 1,
    filename,
    content_type,
    size: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex")
  }))

export const partsOf = (mail: ParsedMail, unsigned: StoredText["unsigned"]): ReadonlyArray<Part> => {
  const { date, to, cc, text, html, links, codes, truncated, parsed, attachments_dropped, replyTo } = mail
  const stored: StoredText = {
    date,
    cc,
    text,
    html,
    links,
    codes,
    truncated,
    parsed,
    attachments_dropped,
    attachments: attachmentsOf(mail),
    to,
    reply_to: replyTo,
    unsigned,
    thread_ids: [...mail.follows.toReversed(), ...(mail.messageId === null ? [] : [mail.messageId])]
  }
  return [
    { name: TEXT_PART, bytes: Buffer.from(JSON.stringify(stored)) },
    ...mail.attachments.map(({ bytes }, index) => ({ name: attachmentPart(index + 1), bytes }))
  ]
}

export const sealedMail = (
  sealer: Sealer,
  mail: ParsedMail,
  id: number,
  summary: MailSummary,
  stored: { readonly key: string; readonly parts: SealedMail["parts"]; readonly wordsMax: number }
): SealedMail => {
  const { address, name } = mail.from
  const searched = `${address} ${name} ${mail.subject} ${mail.text.slice(0, SEARCHED_CHARS)}`
  return {
    envelope: sealEnvelope(sealer, id, summary),
    key: sealKey(sealer, id, stored.key),
    parts: stored.parts,
    words: wordsOf(searched, stored.wordsMax).map((word) => markWord(sealer, word)),
    own: mail.messageId === null ? null : markMessageId(sealer, mail.messageId),
    follows: mail.follows.slice(0, FOLLOWS_MAX).map((other) => markMessageId(sealer, other)),
    lets_in: letsIn(mail)
  }
}
