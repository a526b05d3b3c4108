/** `HUB_NATS_URL` as a client wants it: servers without credentials, and the user of the first that names one. */

export interface BusServers {
  readonly servers: Array<string>
  readonly user?: string
  readonly pass?: string
}

const parse = (address: string): URL => {
  const url = new URL(address)
  if (url.protocol !== "nats:" || url.hostname === "") throw new TypeError("not an address of the bus")
  return url
}

/** Addresses with commas between; `null` where one of them is none. The client itself overlooks credentials in them. */
export const busServers = (addresses: string): BusServers | null => {
  try {
    const urls = addresses.split(",").map((address) => parse(address.trim()))
    const servers = urls.map(({ host }) => host)
    const named = urls.find(({ username }) => username !== "")
    if (named === undefined) return { servers }
    return { servers, user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) }
  } catch {
    return null
  }
}
