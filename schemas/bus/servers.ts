/**
 * Parses `HUB_NATS_URL` for a client: the servers without credentials, and the user of the first address that names
 * one.
 */
import { type BusRole, inboxOf } from "./roles.ts"

export interface BusServers {
  readonly servers: Array<string>
  readonly inboxPrefix: string
  /**
   * Tells the client not to resolve names itself, which would have no time limit: an unreachable machine could delay
   * the connection to the others by half a minute. The service's processes use `addressesOf` instead, which has a time
   * limit.
   */
  readonly resolve: false
  /**
   * Set for `tls://` addresses. A server without encryption, or with an untrusted certificate, is refused before a
   * password is sent. Node's own authorities are trusted, and those of NODE_EXTRA_CA_CERTS.
   */
  readonly tls?: Record<never, never>
  readonly user?: string
  readonly pass?: string
}

const PLAIN = "nats:"
const ENCRYPTED = "tls:"

const parse = (address: string): URL => {
  const url = new URL(address)
  if ((url.protocol !== PLAIN && url.protocol !== ENCRYPTED) || url.hostname === "")
    throw new TypeError("not an address of the bus")
  return url
}

/**
 * `addresses` are separated by commas, all `nats://` or all `tls://`. Returns `null` if one of them is invalid. The
 * client itself would ignore credentials in them.
 */
export const busServers = (addresses: string, role: BusRole): BusServers | null => {
  try {
    const urls = addresses.split(",").map((address) => parse(address.trim()))
    const servers = urls.map(({ host }) => host)
    if (new Set(urls.map(({ protocol }) => protocol)).size > 1) return null
    const named = urls.find(({ username }) => username !== "")
    const tls = urls[0]?.protocol === ENCRYPTED ? { tls: {} } : {}
    const common = { servers, inboxPrefix: inboxOf(role), resolve: false as const, ...tls }
    if (named === undefined) return common
    return { ...common, user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) }
  } catch {
    return null
  }
}
