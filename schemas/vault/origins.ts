/**
 * Origins of websites to which an entry belongs (spec 4.12; contract 17), in the form of `URL.origin`, with https only.
 */

/** Names that mean this machine or this network. */
const LOCAL = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/

/** The form in which `URL` writes every IPv4 address. An IPv6 address is in brackets. */
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** A label of a name. `URL` allows more characters, such as the star of a wildcard. */
const LABEL = /^[a-z0-9_-]+$/

/** A name that a certificate of the public web could be for. */
const isPublicHost = (host: string): boolean =>
  host.includes(".") && host.split(".").every((label) => LABEL.test(label)) && !IPV4.test(host) && !LOCAL.test(host)

/** True if `URL.origin` could produce the text, with any scheme. An opaque origin, such as a sandbox's, is "null". */
export const isOrigin = (text: string): boolean =>
  text === "null" || (URL.canParse(text) && new URL(text).origin === text)

export type OriginProblem = "page_not_https" | "page_host_refused"

/**
 * The fault of a page's or an entry's origin; `null` if a secret may be typed there. A text that is no address counts
 * as not https.
 */
export const originProblem = (text: string): OriginProblem | null => {
  if (!URL.canParse(text)) return "page_not_https"
  const { protocol, origin, hostname } = new URL(text)
  if (protocol !== "https:" || origin !== text) return "page_not_https"
  return isPublicHost(hostname) ? null : "page_host_refused"
}
