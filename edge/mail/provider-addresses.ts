/**
 * The allowed addresses of the provider's certificates and subscriptions (contract 20). Pure.
 *
 * Invariants
 *  - An address must begin literally with `https://`, one of the hosts, and a slash. So spellings that a parser would
 *    normalize (another case, a trailing dot, a user, a port, other scripts, backslashes, tabs) are refused.
 */

import { isProviderHost } from "../../schemas/mail/ses-settings.ts"

const CERTIFICATE = /^\/SimpleNotificationService-[\w-]{1,64}\.pem$/
const CONFIRMATION = /^\/[\w.~%&=:+/?-]{0,4000}$/

interface Place {
  readonly host: string
  readonly path: string
}

/** Host and path of an address; `null` if it is not at one of the allowed hosts. */
const placeOf = (address: string, hosts: ReadonlyArray<string>): Place | null => {
  const host = hosts.find((one) => address.startsWith(`https://${one}/`))
  return host === undefined ? null : { host, path: address.slice("https://".length + host.length) }
}

export const isCertificate = (address: string, hosts: ReadonlyArray<string>): boolean =>
  CERTIFICATE.test(placeOf(address, hosts)?.path ?? "")

/**
 * True for an address at the provider that confirms the subscription to exactly that topic, and does nothing else. On
 * other configured hosts (in tests) every path is allowed.
 */
export const isConfirmation = (address: string, hosts: ReadonlyArray<string>, topic: string): boolean => {
  const place = placeOf(address, hosts)
  if (place === null || !CONFIRMATION.test(place.path)) return false
  if (!isProviderHost(place.host)) return true
  const { pathname, searchParams: asked } = new URL(address)
  const only = (name: string): string | null => (asked.getAll(name).length === 1 ? asked.get(name) : null)
  return pathname === "/" && only("Action") === "ConfirmSubscription" && only("TopicArn") === topic
}
