/** Checks an agent's mail and converts it to the stored form (spec 4.9; contract 20). */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { type Addressee, addressee, addresseeText } from "../../schemas/mail/addresses.ts"
import { aboveMax, belowMin, invalidField, type Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { MailAttachment } from "../../schemas/mail/records.ts"
import type { SendMail } from "../../schemas/mail/send.ts"
import { recipientAddress } from "../../schemas/mail/senders.ts"
import type { SentContent } from "../../schemas/mail/sent.ts"
import type { StoredText } from "../../schemas/mail/stored.ts"
import { type Refused, refuse } from "../http/refused.ts"

export interface Recipients {
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  readonly bcc: ReadonlyArray<string>
  /** All addresses without names. */
  readonly addresses: ReadonlyArray<string>
}

type Bounds = Pick<Limits["limits"]["email"], "recipients_max" | "send_attachments_max_bytes">

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

const wrong = (field: string, message: string): Effect.Effect<never, Refused> =>
  Effect.fail(refuse(invalidField(field, message)))

/** Leaves out repeated addresses and texts that are no addresses. Each address keeps its first place. */
const each = (texts: ReadonlyArray<string>, known: Set<string>): ReadonlyArray<Addressee> =>
  texts.flatMap((text) => {
    const found = addressee(text)
    if (found === null || known.has(found.address)) return []
    known.add(found.address)
    return [found]
  })

const attachmentRefusal = (
  attachments: NonNullable<SendMail["attachments"]>,
  { send_attachments_max_bytes: max }: Bounds
): Refusal | null => {
  let bytes = 0
  for (const [index, { content_base64: text }] of attachments.entries()) {
    if (text.length % 4 !== 0 || !BASE64.test(text))
      return invalidField(`attachments.${index}.content_base64`, "content_base64 must be base64, with its padding.")
    bytes += Buffer.byteLength(text, "base64")
  }
  return bytes <= max ? null : aboveMax("attachments", `Attachments have at most ${max} bytes together.`, max)
}

export const recipientsIn = (
  mail: Pick<SendMail, "to" | "cc" | "bcc">,
  { recipients_max: most }: Bounds,
  field = "to"
): Effect.Effect<Recipients, Refused> =>
  Effect.suspend(() => {
    const known = new Set<string>()
    const [to, cc, bcc] = [each(mail.to, known), each(mail.cc ?? [], known), each(mail.bcc ?? [], known)]
    if (mail.to.length === 0) return Effect.fail(refuse(belowMin("to", "A message needs a recipient in `to`.", 1)))
    if (known.size > most)
      return Effect.fail(refuse(aboveMax(field, `A message has at most ${most} recipients in all.`, most)))
    return Effect.succeed({
      to: to.map(addresseeText),
      cc: cc.map(addresseeText),
      bcc: bcc.map(addresseeText),
      addresses: [...known]
    })
  })

export const contentIn = (
  mail: Pick<SendMail, "text" | "html" | "attachments">,
  bounds: Bounds
): Effect.Effect<SentContent, Refused> =>
  Effect.suspend(() => {
    const [text, html] = [mail.text ?? null, mail.html ?? null]
    if ((text ?? "").trim() === "" && (html ?? "").trim() === "")
      return wrong("text", "A message needs `text` or `html`.")
    const attachments = mail.attachments ?? []
    const refused = attachmentRefusal(attachments, bounds)
    if (refused !== null) return Effect.fail(refuse(refused))
    return Effect.succeed({
      text,
      html,
      attachments: attachments.map(({ filename, content_type = "application/octet-stream", content_base64 }) => ({
        filename,
        content_type,
        content_base64
      }))
    })
  })

/** Addresses for an answer to everybody: the agent's own ones, and those of the message (contract 22). */
export interface AnsweredAddresses {
  readonly own: ReadonlyArray<string>
  readonly sender: string
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
}

/**
 * The addresses in a message that decide where an answer goes. Fields in `unsigned` do not count, because anybody may
 * have added them.
 */
export const answerable = ({
  unsigned,
  reply_to,
  to,
  cc
}: Pick<StoredText, "unsigned" | "reply_to" | "to" | "cc">): Pick<AnsweredAddresses, "to" | "cc"> & {
  readonly replyTo: string | null
} => ({
  replyTo: unsigned.includes("reply-to") ? null : reply_to,
  to: unsigned.includes("to") ? [] : to,
  cc: unsigned.includes("cc") ? [] : cc
})

/** Removes the `+tag` of an address. */
const untagged = (address: string): string => {
  const at = address.lastIndexOf("@")
  return `${address.slice(0, at).split("+", 1).join("")}${address.slice(at)}`
}

/**
 * The recipients of an answer to everybody. Strangers wrote those addresses, so invalid ones are left out. The agent's
 * own addresses are left out too, unless there are no others.
 */
export const everybodyIn = ({ own, sender, to, cc }: AnsweredAddresses): Pick<SendMail, "to" | "cc"> => {
  const mine = new Set(own)
  const others = (texts: ReadonlyArray<string>) =>
    texts.flatMap((text) => {
      const address = recipientAddress(text)
      return address === null || mine.has(untagged(address)) ? [] : [address]
    })
  const named = { to: others([sender, ...to]), cc: others(cc) }
  if (named.to.length > 0) return named
  return { to: named.cc.length > 0 ? named.cc : [sender], cc: [] }
}

export const attachmentsOf = ({ attachments }: SentContent): ReadonlyArray<MailAttachment> =>
  attachments.map(({ filename, content_type, content_base64 }, index) => {
    const bytes = Buffer.from(content_base64, "base64")
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    return { n: index + 1, filename, content_type, size: bytes.length, sha256 }
  })
