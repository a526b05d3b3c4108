/** Mailboxes in a header of addresses, in a form that rules can compare. */
import { domainToUnicode } from "node:url"
import { addressParser } from "postal-mime"
import { normalForm } from "../../../schemas/legible.ts"
import { receivedAddress } from "../../../schemas/mail/senders.ts"
import { mailDomain } from "../../../schemas/mail/settings.ts"

export interface Mailbox {
  readonly name: string
  /** The address in the form that rules compare; `null` if mail cannot come from such an address. */
  readonly address: string | null
  /** False if programs read different domains in the address. */
  readonly isPlain: boolean
}

/** The number of mailboxes that are read from a list, because each one is searched for in the whole header. */
const MAILBOXES_MAX = 100

/** A local part may be quoted. Rules name it without quotation marks (RFC 5322 3.2.4). */
const unquoted = (address: string): string =>
  address.replace(/^"(.*)"(?=@)/, (_, local: string) => local.replaceAll(/\\(.)/g, "$1"))

/**
 * True if every program reads the same domain in an address: each label is an A-label, or the U-label of one. Characters
 * that only some programs map to others (full-width letters, soft hyphens) make a domain that is judged and another one
 * that is displayed.
 */
const isPlainlyWritten = (text: string): boolean => {
  const written = text
    .slice(text.lastIndexOf("@") + 1)
    .trim()
    .replace(/\.$/, "")
  const domain = mailDomain(written)
  if (domain === null) return false
  const labels = normalForm(written.toLowerCase(), "NFC").split(".")
  const aLabels = domain.split(".")
  const isLabel = (label: string, index: number): boolean =>
    label === aLabels[index] || label === domainToUnicode(aLabels[index] ?? "")
  return labels.length === aLabels.length && labels.every(isLabel)
}

/**
 * Returns the mailboxes in order. A name may contain an unquoted comma (`Joe Foo, PhD <joe@uni.example>`): a part
 * without an address belongs to the name of the next one. An encoded word contains a name, never an address (RFC 2047
 * 5). The library looks for addresses there nevertheless, and the code that judges a message's origin does not.
 */
export const mailboxesIn = (header: string): ReadonlyArray<Mailbox> => {
  const bare = header.replaceAll(/["\\]/g, "")
  const found: Array<Mailbox> = []
  const names: Array<string> = []
  for (const { name = "", address = "" } of addressParser(header, { flatten: true }).slice(0, MAILBOXES_MAX)) {
    if (name !== "") names.push(name)
    const plain = unquoted(address)
    if (plain === "") continue
    const heard = bare.includes(plain) ? receivedAddress(plain) : null
    found.push({ name: names.splice(0).join(", "), address: heard, isPlain: heard === null || isPlainlyWritten(plain) })
  }
  return names.length === 0 ? found : [...found, { name: names.join(", "), address: null, isPlain: true }]
}
