/** Addresses and domains of senders and recipients, as rules and agents name them (contract 20). */
import { normalForm } from "../legible.ts"
import { isDropped } from "../unseen.ts"
import { mailDomain } from "./settings.ts"

const LOCAL_MAX_CHARS = 64
/** A sender's address that contains the recipient's (VERP) may be longer than RFC 5321 allows. */
const HEARD_LOCAL_MAX_CHARS = 256

const addressIn = (text: string, localMax: number): string | null => {
  const at = text.lastIndexOf("@")
  const local = normalForm(text.slice(0, Math.max(0, at)).trim().toLowerCase(), "NFC")
  const domain = mailDomain(text.slice(at + 1))
  if (at < 1 || domain === null || local.length > localMax || /[\s<>,;:"()[\]\\\p{Cc}]/u.test(local)) return null
  return `${local}@${domain}`
}

/**
 * Normalizes an address: in lower case, composed (NFC), the domain as A-label; `null` if the text is none. Local parts
 * may be of any script (SMTPUTF8).
 */
export const senderAddress = (text: string): string | null => addressIn(text, LOCAL_MAX_CHARS)

/** The address of a sender. It may be longer than RFC 5321 allows, so that rules can block such senders too. */
export const receivedAddress = (text: string): string | null => addressIn(text, HEARD_LOCAL_MAX_CHARS)

/**
 * Matches local parts that no server accepts: with misplaced at signs or dots (RFC 5321 4.1.2), or with invisible
 * characters.
 */
const UNDELIVERABLE = /@|^\.|\.\.|\.$|[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u

/** Normalizes a recipient's address; `null` if no server can accept it. */
export const recipientAddress = (text: string): string | null => {
  const address = isDropped(text.slice(text.lastIndexOf("@") + 1)) ? null : senderAddress(text)
  return address === null || UNDELIVERABLE.test(address.slice(0, address.lastIndexOf("@"))) ? null : address
}

export const isSenderRule = (text: string): boolean =>
  text.includes("@") ? senderAddress(text) !== null : mailDomain(text) !== null

/** True if an address belongs to a domain, or to one below it. */
export const isWithin = (address: string, domain: string): boolean => {
  const of = address.slice(address.lastIndexOf("@") + 1)
  return of === domain || of.endsWith(`.${domain}`)
}

/** True if a rule matches the sender: the same address, or its domain or a parent domain. */
export const matchesSender = (rule: string, address: string): boolean => {
  if (rule.includes("@")) return senderAddress(rule) === address
  const domain = mailDomain(rule)
  return domain !== null && isWithin(address, domain)
}
