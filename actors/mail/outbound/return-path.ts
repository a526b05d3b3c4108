/**
 * Addresses of the service that a message contains (VERP): the one for bounces, and the one to unsubscribe. Each
 * contains a token, which only the recipient has seen. So it proves that mail to the address belongs to that message.
 */
import { sendingOf } from "../sending/id.ts"
import { isSendingToken, type MailKeys, sendingToken } from "../keys.ts"

const RETURNS = ["bounces", "unsubscribe"] as const
export type ReturnKind = (typeof RETURNS)[number]

type Keys = Pick<MailKeys, "service">

export const returnAddress = (keys: Keys, kind: ReturnKind, sending: string, domain: string): string =>
  `${kind}+${sending}-${sendingToken(keys, kind, sending)}@${domain}`

const RETURN = /^(bounces|unsubscribe)\+([1-9]\d{0,14}-[1-9]\d?)-([0-9a-f]{16})@/

export interface Returned {
  readonly kind: ReturnKind
  readonly sending: string
}

/** `null` if the address is none of these, or has a wrong token. */
export const returnedTo = (keys: Keys, address: string): Returned | null => {
  const [, kind, sending = "", token] = RETURN.exec(address.toLowerCase()) ?? []
  const known = RETURNS.find((one) => one === kind)
  if (known === undefined || sendingOf(sending) === null) return null
  return isSendingToken(keys, known, sending, token) ? { kind: known, sending } : null
}

/** Finds the address for bounces in a text, such as in a report's description of the message. */
const WITHIN = /bounces\+[1-9]\d{0,14}-[1-9]\d?-[0-9a-f]{16}@/i

export const returnedWithin = (keys: Keys, text: string): Returned | null => {
  const [found] = WITHIN.exec(text) ?? []
  return found === undefined ? null : returnedTo(keys, found)
}
