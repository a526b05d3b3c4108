/** `HUB_NATS_URL` as a client wants it: servers without credentials, and the user of the first that names one. */
import { type BusRole, inboxOf } from "./roles.ts"

export interface BusServers {
  readonly servers: Array<string>
  readonly inboxPrefix: string
  /**
   * By itself the client looks names up before it connects, without a bound: the name of a machine that is gone could
   * hold up the way to all others for half a minute. Nodes look them up by `addressesOf`, which is bounded.
   */
  readonly resolve: false
  readonly user?: string
  readonly pass?: string
}

const parse = (address: string): URL => {
  const url = new URL(address)
  if (url.protocol !== "nats:" || url.hostname === "") throw new TypeError("not an address of the bus")
  return url
}

/** Addresses with commas between; `null` where one of them is none. The client itself overlooks credentials in them. */
export const busServers = (addresses: string, role: BusRole): BusServers | null => {
  try {
    const urls = addresses.split(",").map((address) => parse(address.trim()))
    const servers = urls.map(({ host }) => host)
    const named = urls.find(({ username }) => username !== "")
    const common = { servers, inboxPrefix: inboxOf(role), resolve: false as const }
    if (named === undefined) return common
    return { ...common, user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) }
  } catch {
    return null
  }
}
