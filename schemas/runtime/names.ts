/**
 * Resolves names of servers without Node's threads.
 *
 * `dns.lookup` uses one of a few threads. The name of an unreachable machine can block a thread for half a minute, and
 * then every other name waits. This module sends queries to the name servers directly, in parallel and with a time
 * limit.
 *
 * The order is that of a resolver: an address is used as it is, then the hosts file, then the name servers with the
 * search domains of resolv.conf. A name that all of these deny is passed to `dns.lookup`, which knows other sources and
 * answers at once.
 */
import { lookup as systemLookup, promises as dns } from "node:dns"
import { readFile } from "node:fs/promises"
import { isIP, type LookupFunction, Socket } from "node:net"
import { after, machineClock } from "./clock.ts"

/** The time for the first question to a server, and the number of tries. */
const ANSWER_MS = 1000
const TRIES = 2
/** The time for a name with all its search domains. */
const NAME_MS = 4000
const SEARCH_MAX = 6

export interface NameSources {
  readonly hostsFile: string
  readonly resolvFile: string
  /** `127.0.0.1:53`. If absent, the servers of resolv.conf. */
  readonly servers?: ReadonlyArray<string>
  /** The last source. Rejects if it does not know the name. */
  readonly system: (name: string) => Promise<ReadonlyArray<string>>
}

const SYSTEM_SOURCES: NameSources = {
  hostsFile: "/etc/hosts",
  resolvFile: "/etc/resolv.conf",
  system: (name) =>
    new Promise((resolve, reject) => {
      systemLookup(name, { all: true }, (error, found) => {
        if (error === null) resolve(found.map(({ address }) => address))
        else reject(error)
      })
    })
}

const linesOf = async (file: string): Promise<ReadonlyArray<ReadonlyArray<string>>> =>
  (await readFile(file, "utf8").catch(() => ""))
    .split("\n")
    .map((line) => (line.split(/[#;]/, 1)[0] ?? "").trim().split(/\s+/))

const inHosts = async (file: string, name: string): Promise<ReadonlyArray<string>> =>
  (await linesOf(file)).flatMap(([address = "", ...names]) =>
    isIP(address) !== 0 && names.some((one) => one.toLowerCase() === name) ? [address] : []
  )

/** Full names to ask for, in order. */
const candidates = async (file: string, name: string): Promise<ReadonlyArray<string>> => {
  if (name.endsWith(".")) return [name.slice(0, -1)]
  const lines = await linesOf(file)
  const search = lines.findLast(([word]) => word === "search" || word === "domain")?.slice(1, 1 + SEARCH_MAX) ?? []
  const options = lines.flatMap(([word, ...rest]) => (word === "options" ? rest : []))
  const ndots = Number(options.findLast((option) => option.startsWith("ndots:"))?.slice("ndots:".length) ?? 1)
  const longer = search.filter((domain) => domain !== ".").map((domain) => `${name}.${domain}`)
  return name.split(".").length - 1 >= ndots ? [name, ...longer] : [...longer, name]
}

/** The name is unknown, or no server can be asked. The system may know more. */
const DENIED: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED"])

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "EAI_AGAIN"

const faultOf = (name: string, code: string): Error =>
  Object.assign(new Error(`the name ${name} cannot be resolved (${code})`), { code, hostname: name })

/**
 * IPv4 addresses if there are any, because some servers never answer for IPv6. Otherwise the code of the question that
 * failed, or `null` if both were denied.
 */
const asked = async (resolver: dns.Resolver, name: string): Promise<ReadonlyArray<string> | string | null> => {
  const six = resolver.resolve6(name).catch(codeOf)
  const four = await resolver.resolve4(name).catch(codeOf)
  if (typeof four !== "string") return four
  const other = await six
  if (typeof other !== "string") return other
  return [four, other].find((code) => !DENIED.has(code)) ?? null
}

/** Each candidate name gets a share of the time, so that a domain that hangs leaves some for the next. */
const askedWithin = async (servers: NameSources["servers"], name: string, ms: number) => {
  const resolver = new dns.Resolver({ timeout: ANSWER_MS, tries: TRIES })
  if (servers !== undefined) resolver.setServers(servers)
  const inTime = after(machineClock, ms, () => resolver.cancel())
  try {
    return await asked(resolver, name)
  } finally {
    inTime()
  }
}

/**
 * Resolves with at least one address. Rejects with an error that has a `code`, within `NAME_MS` plus the time that the
 * system takes to deny.
 */
export const addressesOf = async (
  host: string,
  { hostsFile, resolvFile, servers, system }: NameSources = SYSTEM_SOURCES
): Promise<ReadonlyArray<string>> => {
  if (isIP(host) !== 0) return [host]
  const name = host.toLowerCase()
  if (name === "" || name === ".") throw faultOf(host, "ENOTFOUND")
  const listed = await inHosts(hostsFile, name)
  if (listed.length > 0) return listed
  if (name === "localhost" || name === "localhost.") return ["127.0.0.1"]
  const names = await candidates(resolvFile, name)
  let unknown: string | null = null
  for (const full of names) {
    const answer = await askedWithin(servers, full, NAME_MS / names.length)
    if (answer !== null && typeof answer !== "string") return answer
    unknown ??= answer
  }
  if (unknown !== null) throw faultOf(host, unknown)
  return system(host)
}

/** A `lookup` for sockets. */
export const lookupIn =
  (sources: NameSources): LookupFunction =>
  (host, { all }, done) => {
    addressesOf(host, sources).then(
      (found) => {
        const addresses = found.map((address) => ({ address, family: isIP(address) }))
        if (all === true) done(null, addresses)
        else done(null, addresses[0]?.address ?? "", addresses[0]?.family ?? 0)
      },
      (error: unknown) => done(error as NodeJS.ErrnoException, "", 0)
    )
  }

/** A socket whose `connect(port, host)` resolves names with this module. A path is used as it is. */
export const namedSocket = (sources: NameSources = SYSTEM_SOURCES): Socket => {
  const lookup = lookupIn(sources)
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  const byName = (to: number | string, host?: string): Socket =>
    typeof to === "string" ? connect(to) : connect({ port: to, host: host ?? "127.0.0.1", lookup })
  return Object.assign(socket, { connect: byName as Socket["connect"] })
}
