/** Resolves an address of the envelope (spec 4.9) to the mailbox of its local part, and the tag after the plus sign. */
import { mailDomain } from "../../../schemas/mail/settings.ts"

export interface ParsedRecipient {
  /** Lower case, without the tag, with the domain as A-label. */
  readonly address: string
  readonly domain: string
  readonly tag: string | null
}

const ADDRESS_MAX_CHARS = 320
const TAG_MAX_CHARS = 64

/** `null` if the text cannot be the address of a mailbox. */
export const namedBy = (text: string): ParsedRecipient | null => {
  const at = text.lastIndexOf("@")
  const domain = mailDomain(text.slice(at + 1))
  if (at < 1 || domain === null || text.length > ADDRESS_MAX_CHARS) return null
  const [local = "", ...behind] = text.slice(0, at).toLowerCase().split("+")
  const tag = behind.length === 0 ? null : behind.join("+")
  if (local === "" || (tag !== null && (tag === "" || tag.length > TAG_MAX_CHARS || /[\p{Cc}\s]/u.test(tag))))
    return null
  return { address: `${local}@${domain}`, domain, tag }
}
