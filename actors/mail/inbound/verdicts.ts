/**
 * What a message's origin is worth (spec 2.9): SPF, DKIM and DMARC, by mailauth. All that DNS is asked for one message
 * is bounded in time; what could not be asked by then is no verdict against anybody.
 *
 * Invariants
 *  - DMARC passes for the sender that is shown, or for nobody: the header is read twice, here and by who reads the
 *    message (parse/read.ts), and a stranger may write it so that two readers see two senders.
 */
import { authenticate } from "mailauth"
import type { Verdict, Verdicts } from "../../../schemas/mail/records.ts"
import { mailDomain } from "../../../schemas/mail/settings.ts"
import type { Lookup } from "../dns.ts"
import { isTooMuchToJudge } from "./too-much.ts"

export interface Origin {
  /** The client's address. */
  readonly ip: string
  readonly helo: string
  /** Of the envelope; empty for what tells of mail that could not be delivered. */
  readonly sender: string
}

export interface Judged {
  readonly verdicts: Verdicts
  /** Of the sender that DMARC was asked about; `null` where whoever judged does not tell. */
  readonly author: string | null
}

const NO_ONE: Verdicts = { spf: "NONE", dkim: "NONE", dmarc: "NONE", spam: "NONE", virus: "NONE" }
const UNKNOWN: Verdicts = { ...NO_ONE, spf: "GRAY", dkim: "GRAY", dmarc: "GRAY" }

/** `from`: the sender that is shown. */
export const verdictsAbout = (from: string, { verdicts, author }: Judged): Verdicts => {
  const isMeant = from !== "" && (author === null || from.slice(from.lastIndexOf("@") + 1) === author)
  return verdicts.dmarc !== "PASS" || isMeant ? verdicts : { ...verdicts, dmarc: "NONE" }
}

const RESULTS: Readonly<Record<string, Verdict>> = {
  pass: "PASS",
  fail: "FAIL",
  permerror: "FAIL",
  policy: "FAIL",
  softfail: "GRAY",
  neutral: "GRAY",
  temperror: "GRAY",
  none: "NONE"
}

const verdictOf = (result: string | undefined): Verdict => RESULTS[result ?? "none"] ?? "NONE"

/** A signature that does not fit its body is wrong, whatever else is unclear: the library calls it neutral. */
const signatureVerdict = (result: string | undefined): Verdict => (result === "neutral" ? "FAIL" : verdictOf(result))

const BEST_FIRST: ReadonlyArray<Verdict> = ["PASS", "GRAY", "FAIL"]

/** One good signature is enough. */
const bestOf = (verdicts: ReadonlyArray<Verdict>): Verdict =>
  BEST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? "NONE"

/** Rejects once the message's time is over: what is asked then counts as a passing fault. */
const within = (lookup: Lookup, until: number): Lookup => {
  const late = () => Object.assign(new Error("DNS took too long"), { code: "ETIMEOUT" })
  return (name, type) => {
    const left = until - performance.now()
    if (left <= 0) return Promise.reject(late())
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(late()), left)
    })
    return Promise.race([lookup(name, type), over]).finally(() => clearTimeout(timer))
  }
}

export const judge = async (
  raw: Buffer,
  { ip, helo, sender }: Origin,
  lookup: Lookup,
  { mta, verdict_ms }: { readonly mta: string; readonly verdict_ms: number }
): Promise<Judged> => {
  if (isTooMuchToJudge(raw)) return { verdicts: UNKNOWN, author: null }
  try {
    const resolver = within(lookup, performance.now() + verdict_ms)
    const options = { ip, helo, sender, mta, resolver, disableBimi: true }
    const { spf, dkim, dmarc } = await authenticate(raw, options)
    const verdicts: Verdicts = {
      ...NO_ONE,
      spf: spf === false ? "NONE" : verdictOf(spf.status.result),
      dkim: bestOf(dkim.results.map(({ status }) => signatureVerdict(status.result))),
      dmarc: dmarc === false ? "NONE" : verdictOf(dmarc.status.result)
    }
    return { verdicts, author: dmarc === false ? "" : (mailDomain(dmarc.status.header?.from ?? "") ?? "") }
  } catch {
    // What the library makes nothing of is no reason to lose a message.
    return { verdicts: UNKNOWN, author: null }
  }
}
