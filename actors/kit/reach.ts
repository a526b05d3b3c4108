/**
 * Checks the destination of a webhook (contract 4). Its address is hostile input: whoever sets it would have the
 * service knock at doors that only the service can reach.
 *
 * Invariants
 *  - A name is resolved when a connection is made, and every address that it has is checked. The connection goes to
 *    those addresses, so a name that answers differently the next moment (DNS rebinding) gains nothing.
 *  - One address that is not public spoils all: a name that mixes them is up to something.
 *  - Only what is known to be public passes: what IANA has set aside, tunnels into IPv4 and mapped addresses among it,
 *    does not.
 *  - An address written as such is judged before anything connects. URL has brought its odd spellings (octal, hex, one
 *    number) into the usual one by then.
 *  - In development the machine itself may be reached, and nothing else besides.
 */
import { Resolver } from "node:dns/promises"
import { isIP, type LookupFunction } from "node:net"
import ipaddr from "ipaddr.js"
import { PLATFORM_ADDRESSES } from "../../schemas/platform-addresses.ts"

export class BlockedAddress extends Error {}
export class UnresolvedName extends Error {}

export interface Reach {
  /** Loopback too: in development. */
  readonly loopback: boolean
}

/** All addresses of a name; none or a rejection where it has none. */
export type Resolve = (name: string) => Promise<ReadonlyArray<string>>

/** 2000::/3 is all that was ever handed out; behind it everything is reserved. */
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

/** The host of a URL as an address or a name: without the brackets of IPv6. */
export const bareHost = (hostname: string): string => (hostname.startsWith("[") ? hostname.slice(1, -1) : hostname)

/** Judges an address that is written as such; a name is judged when it is looked up. */
export const literalBlocked = (hostname: string, reach: Reach): boolean => {
  const host = bareHost(hostname)
  return isIP(host) !== 0 && !mayConnect(host, reach)
}

const LOCAL_NAME = /^(.+\.)?localhost\.?$/i
const LOOPBACK = ["127.0.0.1"]

/** The addresses to connect to. Rejects with BlockedAddress or UnresolvedName. */
export const safeAddresses = async (name: string, reach: Reach, resolve: Resolve): Promise<ReadonlyArray<string>> => {
  const found = LOCAL_NAME.test(name) ? LOOPBACK : await resolve(name).catch(() => [])
  if (found.length === 0) throw new UnresolvedName("the name has no address")
  if (!found.every((address) => mayConnect(address, reach)))
    throw new BlockedAddress("the name leads to an address that is not public")
  return found
}

/** For a connection's `lookup`: it connects to what comes of it and asks nobody else. */
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
/** More addresses than anybody needs. */
const ADDRESSES_MAX = 16

/** By the machine's name servers, without its threads: a name server that is slow holds up nobody else. */
export const byNameServers = (): Resolve => {
  const resolver = new Resolver({ timeout: RESOLVE_TIMEOUT_MS, tries: RESOLVE_TRIES })
  return async (name) => {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    return found.flatMap((one) => (one.status === "fulfilled" ? one.value : [])).slice(0, ADDRESSES_MAX)
  }
}
