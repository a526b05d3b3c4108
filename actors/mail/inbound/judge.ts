/**
 * SPF, DKIM and DMARC of one message, by mailauth. Runs in a thread (parse/worker.ts): whatever strangers write, it takes
 * the time of that thread and no more. What DNS did not say in time is no verdict against anybody.
 */
import { authenticate, type DKIMResult } from "mailauth"
import type { Verdict } from "../../../schemas/mail/records.ts"
import { mailDomain } from "../../../schemas/mail/settings.ts"
import type { Lookup } from "../dns.ts"
import { isTooMuchToJudge } from "./too-much.ts"
import { type Judged, NO_VERDICTS, type Origin, UNJUDGED } from "./verdicts.ts"

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

const coversSubject = ({ status, signingHeaders }: DKIMResult): boolean =>
  status.result === "pass" && /(?:^|[\s:])subject(?:$|[\s:])/i.test(signingHeaders?.keys ?? "")

const BEST_FIRST: ReadonlyArray<Verdict> = ["PASS", "GRAY", "FAIL"]

/** One good signature is enough. */
const bestOf = (verdicts: ReadonlyArray<Verdict>): Verdict =>
  BEST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? "NONE"

export const judge = async (
  raw: Uint8Array,
  { ip, helo, sender }: Origin,
  resolver: Lookup,
  mta: string
): Promise<Judged> => {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  if (isTooMuchToJudge(bytes)) return UNJUDGED
  try {
    const { spf, dkim, dmarc } = await authenticate(bytes, { ip, helo, sender, mta, resolver, disableBimi: true })
    const verdicts: Judged["verdicts"] = {
      ...NO_VERDICTS,
      spf: spf === false ? "NONE" : verdictOf(spf.status.result),
      dkim: bestOf(dkim.results.map(({ status }) => signatureVerdict(status.result))),
      dmarc: dmarc === false ? "NONE" : verdictOf(dmarc.status.result)
    }
    const proof = dmarc === false ? undefined : dmarc.alignment
    // A signature that does not cover the subject proves no subject; who sent from an address of the domain wrote all of it.
    const isSubjectOpen =
      proof?.dkim.result !== undefined &&
      proof.spf.result === undefined &&
      !dkim.results.some((one) => one.signingDomain === proof.dkim.result && coversSubject(one))
    return {
      verdicts,
      author: dmarc === false ? "" : (mailDomain(dmarc.status.header?.from ?? "") ?? ""),
      ...(isSubjectOpen ? { reasons: ["subject_unsigned"] } : {})
    }
  } catch {
    // What the library makes nothing of is no reason to lose a message.
    return UNJUDGED
  }
}
