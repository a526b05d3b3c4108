/**
 * Finds the servers that take mail for a domain (RFC 5321 5.1, RFC 7505). Their names are hostile input, like
 * everything from a stranger's domain. Only public addresses are tried; in development also those of this machine.
 */
import type { Resolver } from "node:dns/promises"
import { isIP } from "node:net"
import { Effect } from "effect"
import { mayConnect, type Reach } from "../../kit/reach.ts"
import { codeOf } from "../dns.ts"
import type { Outcome } from "./transport.ts"

type FoundHosts =
  | { readonly type: "hosts"; readonly addresses: ReadonlyArray<string> }
  | { readonly type: "none"; readonly outcome: Outcome }

export type Exchanges = (domain: string) => Effect.Effect<FoundHosts>

interface Bounds {
  readonly mx_hosts_max: number
}

const none = (outcome: Outcome): FoundHosts => ({ type: "none", outcome })

const NO_DOMAIN = none({ type: "refused", of: "address", reason: "its domain does not exist" })
const NO_MAIL = none({ type: "refused", of: "address", reason: "its domain takes no mail" })
const NO_ANSWER = none({ type: "passing", reason: "its domain cannot be looked up" })
const NOT_PUBLIC = none({ type: "refused", of: "message", reason: "the servers of its domain are not public" })

/** `absent`: the name has no record of that type. `unknown`: there is no such name. `silent`: there was no answer. */
type DnsAnswer<A> = ReadonlyArray<A> | "absent" | "unknown" | "silent"

const asked = async <A>(asking: Promise<ReadonlyArray<A>>): Promise<DnsAnswer<A>> => {
  try {
    return await asking
  } catch (error) {
    const code = codeOf(error)
    return code === "ENODATA" ? "absent" : code === "ENOTFOUND" ? "unknown" : "silent"
  }
}

const addressesOf = async (resolver: Resolver, host: string): Promise<ReadonlyArray<string> | "silent"> => {
  if (isIP(host) !== 0) return [host]
  const [four, six] = await Promise.all([asked(resolver.resolve4(host)), asked(resolver.resolve6(host))])
  const found = [four, six].flatMap((one) => (typeof one === "string" ? [] : one))
  return found.length === 0 && (four === "silent" || six === "silent") ? "silent" : found
}

/** Hosts in the order in which they are tried. Without MX records, the domain itself is the only host. */
const hostsOf = async (
  resolver: Resolver,
  domain: string,
  max: number
): Promise<ReadonlyArray<string> | FoundHosts> => {
  const records = await asked(resolver.resolveMx(domain))
  if (records === "silent") return NO_ANSWER
  if (records === "unknown") return NO_DOMAIN
  if (records === "absent" || records.length === 0) return [domain]
  const hosts = records.toSorted((one, other) => one.priority - other.priority).map(({ exchange }) => exchange)
  return hosts.every((host) => host === "" || host === ".")
    ? NO_MAIL
    : hosts.filter((host) => host !== "").slice(0, max)
}

export const exchangesBy =
  (resolver: Resolver, reach: Reach, { mx_hosts_max }: Bounds): Exchanges =>
  (domain) =>
    Effect.promise(async () => {
      const hosts = await hostsOf(resolver, domain, mx_hosts_max)
      if ("type" in hosts) return hosts
      const found = await Promise.all(hosts.map((host) => addressesOf(resolver, host)))
      const all = found.flatMap((one) => (one === "silent" ? [] : one))
      if (all.length === 0) return found.includes("silent") ? NO_ANSWER : NO_MAIL
      const open = all.filter((address) => mayConnect(address, reach))
      return open.length === 0 ? NOT_PUBLIC : { type: "hosts", addresses: open.slice(0, mx_hosts_max) }
    })
