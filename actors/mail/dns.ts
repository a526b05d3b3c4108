/**
 * Asks DNS, by the configured name servers or by the machine's.
 *
 * Invariants
 *  - One question takes at most `dns_query_ms` for each server. `DnsQuestions` also limits the number and length of the
 *    records that it returns, and the number of aliases that it follows.
 *  - Callers that compare servers get each server's answer separately. A missing name is an answer; a failure or
 *    silence is none.
 */
import { getServers, Resolver } from "node:dns/promises"
import type { Clock } from "effect"
import type { Limits } from "../../schemas/limits.ts"
import type { MailSettings } from "../../schemas/mail/settings.ts"
import { after, type Cancel, machineClock, monotonicMs } from "../../schemas/runtime/clock.ts"

export type Lookup = (name: string, type: string) => Promise<Array<string> | Array<Array<string>>>

type Bounds = Pick<
  Limits["service"]["mail"],
  "dns_query_ms" | "dns_records_max" | "dns_record_max_chars" | "dns_aliases_max"
>
type Servers = Pick<MailSettings, "dnsServers">

export type DnsType = "TXT" | "MX" | "CNAME"

/** The answers of all servers that answered, one text for each record; `null` if none answered. */
export type DnsAnswers = ReadonlyArray<ReadonlyArray<string>> | null

/** Asks the servers one after the other, until one answers. */
export const resolverBy = ({ dnsServers }: Servers, { dns_query_ms }: Pick<Bounds, "dns_query_ms">): Resolver => {
  const resolver = new Resolver({ timeout: dns_query_ms, tries: 1 })
  if (dnsServers.length > 0) resolver.setServers([...dnsServers])
  return resolver
}

export const lookupBy = (servers: Servers, bounds: Pick<Bounds, "dns_query_ms">): Lookup => {
  const resolver = resolverBy(servers, bounds)
  return async (name, type) => (await resolver.resolve(name, type)) as Array<string> | Array<Array<string>>
}

/**
 * A lookup for one message. After its time, or beyond a number of questions, it rejects as a temporary fault. Only the
 * time counts in which a question waits for its answer. The thread may compute for other messages in between.
 */
export const lookupWithin = (
  lookup: Lookup,
  bounds: { readonly ms: number; readonly questions: number },
  clock: Clock.Clock = machineClock
): Lookup => {
  let [questions, waiting, waited, since] = [0, 0, 0, 0]
  const late = () => Object.assign(new Error("DNS took too long"), { code: "ETIMEOUT" })
  return (name, type) => {
    const now = monotonicMs(clock)
    if (waiting === 0) since = now
    const left = bounds.ms - waited - (now - since)
    if (left <= 0 || ++questions > bounds.questions) return Promise.reject(late())
    waiting++
    let cancel: Cancel = () => undefined
    const over = new Promise<never>((_resolve, reject) => {
      cancel = after(clock, left, () => reject(late()))
    })
    return Promise.race([lookup(name, type), over]).finally(() => {
      cancel()
      if (--waiting === 0) waited += monotonicMs(clock) - since
    })
  }
}

/** NXDOMAIN, and a name without records of that type. */
const ABSENT: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA"])

export const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : ""

/** The form in which names are compared. */
export const hostName = (text: string): string => text.toLowerCase().replace(/\.$/, "")

const recordsOf = async (resolver: Resolver, name: string, type: DnsType): Promise<ReadonlyArray<string>> => {
  if (type === "TXT") return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(""))
  if (type === "MX") return (await resolver.resolveMx(name)).map(({ exchange }) => hostName(exchange))
  return (await resolver.resolveCname(name)).map(hostName)
}

/** Resolves to `null` once the time is over. */
const inTime = async <A>(asked: Promise<A>, ms: number): Promise<A | null> => {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms)
  })
  return Promise.race([asked, over]).finally(() => clearTimeout(timer))
}

/** Asks all servers in parallel. */
export class DnsQuestions {
  private readonly resolvers: ReadonlyArray<Resolver>
  private readonly bounds: Bounds

  constructor({ dnsServers }: Servers, bounds: Bounds) {
    this.resolvers = (dnsServers.length > 0 ? dnsServers : getServers()).map((server) => {
      const resolver = new Resolver({ timeout: bounds.dns_query_ms, tries: 1 })
      resolver.setServers([server])
      return resolver
    })
    this.bounds = bounds
  }

  async ask(name: string, type: DnsType): Promise<DnsAnswers> {
    const told = await Promise.all(this.resolvers.map((resolver) => this.of(resolver, name, type)))
    const answers = told.filter((one) => one !== null)
    return answers.length === 0 ? null : answers
  }

  private async of(resolver: Resolver, name: string, type: DnsType): Promise<ReadonlyArray<string> | null> {
    const { dns_query_ms, dns_aliases_max, dns_records_max, dns_record_max_chars } = this.bounds
    const asked = this.followed(resolver, name, type, dns_aliases_max).catch(() => null)
    const found = await inTime(asked, dns_query_ms)
    return found?.slice(0, dns_records_max).map((text) => text.slice(0, dns_record_max_chars)) ?? null
  }

  /** Rejects if the server has not answered. */
  private async followed(
    resolver: Resolver,
    name: string,
    type: DnsType,
    aliases: number
  ): Promise<ReadonlyArray<string>> {
    try {
      return await recordsOf(resolver, name, type)
    } catch (error) {
      const code = codeOf(error)
      if (!ABSENT.has(code)) throw error
      // A server that does not follow an alias itself answers that the name has no such record.
      if (code !== "ENODATA" || type === "CNAME" || aliases === 0) return []
    }
    const [alias] = await this.followed(resolver, name, "CNAME", 0)
    return alias === undefined ? [] : this.followed(resolver, alias, type, aliases - 1)
  }
}
