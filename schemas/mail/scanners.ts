/** The operator's programs that scan incoming mail (contract 20): `HUB_CLAMD`, `HUB_RSPAMD_URL`. */

/** A Unix socket, or a TCP port. */
export type ClamdAddress = { readonly path: string } | { readonly host: string; readonly port: number }

export interface Scanners {
  /** The address of clamd; `null` if mail is not scanned for viruses. */
  readonly clamd: ClamdAddress | null
  /** The address of Rspamd's normal worker, without a trailing slash; `null` if mail is not scanned for spam. */
  readonly rspamd: string | null
}

const CLAMD_PORT = 3310
const PORT_MAX = 65_535
/** The kernel's own bound on the path of a socket. */
const PATH_MAX_BYTES = 107
const HOST = /^(?:\[([0-9a-f:.]{1,45})\]|([a-z0-9.-]{1,253}))(?::(\d{1,5}))?$/i
const CONTROL = /[\p{Cc}\s]/u

/** Parses the address of a clamd; `null` if the text is not valid. */
export const clamdAddressOf = (text: string): ClamdAddress | null => {
  const path = text.startsWith("unix:") ? text.slice("unix:".length) : text
  if (path.startsWith("/")) return CONTROL.test(path) || Buffer.byteLength(path) > PATH_MAX_BYTES ? null : { path }
  const [, six, name, digits] = HOST.exec(text) ?? []
  const host = six ?? name
  const port = Number(digits ?? CLAMD_PORT)
  if (host === undefined || port < 1 || port > PORT_MAX || (six !== undefined && !URL.canParse(`http://[${six}]`)))
    return null
  return { host, port }
}

/** `null` if the address is invalid, or has a password: Rspamd's worker needs none. */
export const rspamdUrlOf = (text: string): string | null => {
  if (!URL.canParse(text)) return null
  const { protocol, username, password, search, hash, href } = new URL(text)
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== "") return null
  return href.replace(/\/$/, "")
}
