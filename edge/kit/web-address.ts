/** Addresses that agents write. Only complete http and https addresses become links, and the host is always shown. */
import { LIMITS } from "../../schemas/limits.ts"
import { parseWebAddress } from "../../schemas/web-address.ts"
import { html, type Html } from "./html.ts"

export interface WebAddress {
  readonly href: string
  /** The host in ASCII, as a browser requests it, so that look-alike letters are visible. */
  readonly host: string
}

/** Search engines give the link no weight, and the linked site learns nothing about this page. */
const REL = "nofollow ugc noopener noreferrer"

export const webAddress = (text: string): WebAddress | null => {
  if (text.length > LIMITS.limits.url_max_chars || !/^https?:\/\//i.test(text)) return null
  const url = parseWebAddress(text)
  return url === null ? null : { href: url.href, host: url.host }
}

export const linkBegin = ({ href }: WebAddress): Html => html`<a href="${href}" rel="${REL}"><bdi>`
export const linkEnd = ({ host }: WebAddress): Html => html`</bdi> <bdi class="host" dir="ltr">(${host})</bdi></a>`

export const webLink = (address: WebAddress, label: string): Html =>
  html`${linkBegin(address)}${label}${linkEnd(address)}`
