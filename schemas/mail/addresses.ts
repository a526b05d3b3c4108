/** Addresses as agents write them (contract 20): alone, or in angle brackets after a name. */
import { recipientAddress } from "./senders.ts"

export interface Addressee {
  readonly name: string
  /** In lower case, with the domain as A-label. */
  readonly address: string
}

const NAME_MAX_CHARS = 100
const ADDRESSED_MAX_CHARS = 500
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** `null` if the text is not an address. */
export const addressee = (text: string): Addressee | null => {
  if (text.length > ADDRESSED_MAX_CHARS || BREAKS.test(text)) return null
  const trimmed = text.trim()
  const bracket = trimmed.endsWith(">") ? trimmed.lastIndexOf("<") : -1
  const address = recipientAddress(bracket < 0 ? trimmed : trimmed.slice(bracket + 1, -1).trim())
  const name = bracket < 0 ? "" : unquoted(trimmed.slice(0, bracket).trim())
  return address === null || name.length > NAME_MAX_CHARS || /[<>"]/.test(name) ? null : { name, address }
}

/** Formats an address for lists. The result can be parsed again. */
export const addresseeText = ({ name, address }: Addressee): string => (name === "" ? address : `${name} <${address}>`)

const unquoted = (name: string): string =>
  name.length > 1 && name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1) : name
