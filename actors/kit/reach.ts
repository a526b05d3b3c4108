/**
 * Checks the destination of a webhook (contract 4). Its address is hostile input: with it, an attacker could make the
 * service connect to machines that only the service can reach.
 *
 * Invariants
 *  - A name is resolved when a connection is made, and every address that is used is checked. The connection goes to
 *    those addresses, so a name that answers differently the next moment (DNS rebinding) gains nothing.
 *  - If one address of a name is not public, the name is blocked. A name that mixes them is suspicious.
 *  - Only addresses that are known to be public are allowed. Ranges that IANA has reserved are not, and neither are
 *    tunnels into IPv4 and mapped addresses.
 *  - A literal address is judged before any connection is made. By then URL has normalized unusual spellings (octal,
 *    hex, one number).
 *  - In development the loopback addresses are allowed as well, and nothing else.
 */
import { Resolver } from "node:dns/promises"
import { isIP, type LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"
import { PLATFORM_ADDRESSES } from "../../schemas/platform-addresses.ts"

export class BlockedAddress extends Error {}
export class UnresolvedName extends Error {}

export interface Reach {
  /** True if loopback addresses are allowed, as in development. */
  readonly loopback: boolean
}

/** Resolves a name to its addresses. The list is empty, or the promise rejects, if there are none. */
export type Resolve = (name: string) => Promise<ReadonlyArray<string>>

/** 2000::/3 is the only block from which IANA assigns public addresses. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3")

const PLATFORM = PLATFORM_ADDRESSES.map((range) => ipaddr.IPv4.parseCIDR(range))

export const mayConnect = (address: string, { loopback }: Reach): boolean => {
  // A zone names an interface of this machine.
  if (isIP(address) === 0 || address.includes("%")) return false
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  if (range === "loopback") return loopback
  if (range !== "unicast") return false
  if (parsed instanceof ipaddr.IPv4) return !PLATFORM.some((range) => parsed.match(range))
  return parsed instanceof ipaddr.IPv6 && parsed.match(GLOBAL_UNICAST)
}

/** The host of a URL as an address or a name, without the brackets of IPv6. */
export const bareHost = (hostname: string): string => (hostname.startsWith("[") ? hostname.slice(1, -1) : hostname)

/** Judges a literal address. A name is judged when it is resolved. */
export const literalBlocked = (hostname: string, reach: Reach): boolean => {
  const host = bareHost(hostname)
  return isIP(host) !== 0 && !mayConnect(host, reach)
}

const LOCAL_NAME = /^(.+\.)?localhost\.?$/i
const LOOPBACK = ["127.0.0.1"]

/** The addresses that a name may be reached at. Rejects with BlockedAddress or UnresolvedName. */
export const safeAddresses = async (name: string, reach: Reach, resolve: Resolve): Promise<ReadonlyArray<string>> => {
  const found = LOCAL_NAME.test(name) ? LOOPBACK : await resolve(name).catch(() => [])
  if (found.length === 0) throw new UnresolvedName("the name has no address")
  if (!found.every((address) => mayConnect(address, reach)))
    throw new BlockedAddress("the name leads to an address that is not public")
  return found
}

/** The `lookup` option of a connection: returns checked addresses only, so the connection goes to no others. */
export const guardedLookup =
  (reach: Reach, resolve: Resolve): LookupFunction =>
  (name, options, callback) => {
    safeAddresses(name, reach, resolve).then(
      (addresses) => {
        const all = addresses.map((address) => ({ address, family: isIP(address) }))
        const wanted =
          options.family === 4 || options.family === 6 ? all.filter(({ family }) => family === options.family) : all
        const [first] = wanted
        if (first === undefined) callback(new UnresolvedName("the name has no address of this family"), "", 4)
        else if (options.all === true) callback(null, wanted)
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, "", 4)
    )
  }

const RESOLVE_TIMEOUT_MS = 3000
const RESOLVE_TRIES = 2
const ADDRESSES_MAX = 16

/**
 * Asks the machine's name servers directly, without Node's threads, so that a slow name server delays no other work.
 */
export const byNameServers = (): Resolve => {
  const resolver = new Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: RESOLVE_TRIES })
  return async (name) => {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return found.flatMap((one) => (one.status === "fulfilled" ? one.value : [])).slice(0, ADDRESSES_MAX)
  }
}
