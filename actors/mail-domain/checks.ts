/** Checks a domain from outside: its records in DNS, and its state at the provider. The time is bounded. */
import { Effect } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { type DnsRecord, proofName } from "../../schemas/mail-domain/records.ts"
import type { Sealer } from "../log/seal.ts"
import type { DnsQuestions } from "../mail/noun.ts"
import { type RecordMatches, foundIn, hasAll } from "./matching.ts"
import type { DomainProvider, ProviderStatus } from "./provider.ts"

export interface Checked {
  /** The domain's new required records, if they differ. `found` then refers to these. */
  readonly records?: ReadonlyArray<DnsRecord>
  readonly found: RecordMatches
  readonly provider: ProviderStatus | null
}

/** The result if no server answered: every record is undecided. */
export const unanswered = (records: ReadonlyArray<DnsRecord>): Checked => ({
  found: records.map(() => null),
  provider: null
})

type Bounds = Pick<Limits["service"]["mail"], "domain_check_ms">

type DnsAsker = Pick<DnsQuestions, "ask">

const lookedUp = (dns: DnsAsker, record: DnsRecord) =>
  Effect.map(
    Effect.promise(() => dns.ask(record.name, record.type)),
    (answers) => foundIn(record, answers)
  )

/**
 * The records if the provider needs other keys: the proof, and all that the provider needs now. `null` if the keys are
 * the same.
 */
const redeclared = (
  records: ReadonlyArray<DnsRecord>,
  found: RecordMatches,
  wanted: ReadonlyArray<DnsRecord>
): Pick<Checked, "records" | "found"> | null => {
  const known = new Map(records.map((record, index): [string, boolean | null] => [keyOf(record), found[index] ?? null]))
  if (wanted.every((one) => one.purpose !== "dkim" || known.has(keyOf(one)))) return null
  const all = [...records.filter(({ purpose }) => purpose === "verification"), ...wanted]
  return { records: all, found: all.map((one) => foundOf(known, one)) }
}

const foundOf = (known: ReadonlyMap<string, boolean | null>, record: DnsRecord): boolean | null => {
  const found = known.get(keyOf(record))
  return found === undefined ? false : found
}

const keyOf = ({ type, name, value }: DnsRecord): string => `${type} ${name} ${value}`

/** Looks up all records and asks the provider at the same time, each within `domain_check_ms`. */
export const checkedBy = (
  { dns, provider }: { readonly dns: DnsAsker; readonly provider: Pick<DomainProvider, "check" | "again"> },
  { domain, records }: { readonly domain: string; readonly records: ReadonlyArray<DnsRecord> },
  { domain_check_ms: duration }: Bounds
): Effect.Effect<Checked> => {
  const inTime = <A>(look: Effect.Effect<A>): Effect.Effect<A | null> =>
    Effect.timeoutOrElse(look, { duration, orElse: () => Effect.succeed(null) })
  const said = (look: ReturnType<DomainProvider["check"]>) => inTime(Effect.orElseSucceed(look, () => null))
  return Effect.gen(function* () {
    const { found, first } = yield* Effect.all(
      {
        found: Effect.forEach(records, (record) => inTime(lookedUp(dns, record)), { concurrency: "unbounded" }),
        first: said(provider.check(domain))
      },
      { concurrency: "unbounded" }
    )
    const isStuck = first?.status === "FAILED" && hasAll(records, found)
    // If the provider wants other keys, another check would change nothing.
    const again =
      isStuck && redeclared(records, found, first.records) === null ? yield* said(provider.again(domain)) : null
    const last = again ?? first
    const status = last?.status ?? null
    return { found, provider: status, ...(last === null ? null : redeclared(records, found, last.records)) }
  })
}

const BUSY = unavailable("Too many domains are looked at at the moment. It is safe to try again.")

/** Limits how many checks run at the same time. One more is refused and does not wait. */
export class Looks {
  private readonly max: number
  private underWay = 0

  constructor(max: number) {
    this.max = max
  }

  one<A>(look: Effect.Effect<A>): Effect.Effect<A, Refusal> {
    return Effect.suspend(() => {
      if (this.underWay >= this.max) return Effect.fail(BUSY)
      this.underWay++
      return Effect.ensuring(
        look,
        Effect.sync(() => {
          this.underWay--
        })
      )
    })
  }
}

const TOKEN_CHARS = 40

/** The proof that an agent has to publish for a domain. It is derived from both, so it need not be stored. */
export const proofOf = (sealer: Sealer, domain: string, agent: string): DnsRecord => ({
  type: "TXT",
  name: proofName(domain),
  value: `hub-verification=${sealer.mark(`${domain} ${agent}`, "claim").slice(0, TOKEN_CHARS)}`,
  required: true,
  purpose: "verification"
})

export const isProven = (dns: DnsAsker, proof: DnsRecord): Effect.Effect<boolean> =>
  Effect.map(lookedUp(dns, proof), (found) => found === true)
