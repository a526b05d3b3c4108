/**
 * Where the provider's certificates and subscriptions may lie (contract 20). Pure.
 *
 * Invariants
 *  - An address is taken as it is spelled, or not at all: it must begin with `https://`, one of the hosts to the letter,
 *    and a slash. So nothing that a parser would tidy up (another case, a trailing dot, a user, a port, other scripts,
 *    backslashes, tabs) leads anywhere.
 */

const CERTIFICATE = /^\/SimpleNotificationService-[\w-]{1,64}\.pem$/
const CONFIRMATION = /^\/\?[\w.~%&=:+-]{1,4000}$/

/** What follows the host; `null` where it is not at one of them. */
const behind = (address: string, hosts: ReadonlyArray<string>): string | null => {
  const host = hosts.find((one) => address.startsWith(`https://${one}/`))
  return host === undefined ? null : address.slice("https://".length + host.length)
}

export const isCertificate = (address: string, hosts: ReadonlyArray<string>): boolean =>
  CERTIFICATE.test(behind(address, hosts) ?? "")

/** Confirms the subscription to that very topic, and does nothing else. */
export const isConfirmation = (address: string, hosts: ReadonlyArray<string>, topic: string): boolean => {
  const path = behind(address, hosts)
  if (path === null || !CONFIRMATION.test(path)) return false
  const asked = new URL(address).searchParams
  const only = (name: string): string | null => (asked.getAll(name).length === 1 ? asked.get(name) : null)
  return only("Action") === "ConfirmSubscription" && only("TopicArn") === topic
}
