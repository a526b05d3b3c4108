/** Mailboxes in a header of addresses, in a form that rules can compare. */
import { addressParser } from "postal-mime"
import { heardAddress, isPlainlyWritten } from "../../../schemas/mail/senders.ts"

export interface Mailbox {
  readonly name: string
  /** As rules compare it; `null` where it is none that mail could come from. */
  readonly address: string | null
  /** False where programs read different domains in the address. */
  readonly isPlain: boolean
}

/** The first of a list; each is looked for in the whole header. */
const MAILBOXES_MAX = 100

/** A local part may stand in quotation marks; rules name it without (RFC 5322 3.2.4). */
const unquoted = (address: string): string =>
  address.replace(/^"(.*)"(?=@)/, (_, local: string) => local.replaceAll(/\\(.)/g, "$1"))

/**
 * In order. A name may hold a comma that nobody quoted (`Joe Foo, PhD <joe@uni.example>`): what has no address belongs to
 * the name of the next. An encoded word holds a name, never an address (RFC 2047 5): the library looks there all the
 * same, and who judges where a message comes from does not.
 */
export const mailboxesIn = (header: string): ReadonlyArray<Mailbox> => {
  const bare = header.replaceAll(/["\\]/g, "")
  const found: Array<Mailbox> = []
  const names: Array<string> = []
  for (const { name = "", address = "" } of addressParser(header, { flatten: true }).slice(0, MAILBOXES_MAX)) {
    if (name !== "") names.push(name)
    const plain = unquoted(address)
    if (plain === "") continue
    const heard = bare.includes(plain) ? heardAddress(plain) : null
    found.push({ name: names.splice(0).join(", "), address: heard, isPlain: heard === null || isPlainlyWritten(plain) })
  }
  return names.length === 0 ? found : [...found, { name: names.join(", "), address: null, isPlain: true }]
}
