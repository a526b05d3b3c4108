/** `HUB_NATS_URL` as a client wants it: servers without credentials, and the user of the first that names one. */
import { type BusRole, inboxOf } from "./roles.ts"

export interface BusServers {
  readonly servers: Array<string>
  readonly inboxPrefix: string
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
    const inboxPrefix = inboxOf(role)
    if (named === undefined) return { servers, inboxPrefix }
    return { servers, inboxPrefix, user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) }
  } catch {
    return null
  }
}
