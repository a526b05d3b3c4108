/**
 * Judges SPF, DKIM and DMARC of one message, by mailauth. It runs in a thread (parse/worker.ts), so that hostile
 * messages can use up only that thread's time. If DNS does not answer, there is no verdict against the sender.
 */
import { authenticate, type DKIMResult } from "mailauth"
import type { Verdict, VerdictReason } from "../../../schemas/mail/records.ts"
import { mailDomain } from "../../../schemas/mail/settings.ts"
import type { Lookup } from "../dns.ts"
import { isTooMuchToJudge } from "./too-much.ts"
import { type JudgedSender, NO_VERDICTS, type Origin, UNJUDGED } from "./verdicts.ts"

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

/** A signature that does not fit its body counts as wrong. The library calls it neutral. */
const signatureVerdict = (result: string | undefined): Verdict => (result === "neutral" ? "FAIL" : verdictOf(result))

/** Header fields that decide how the body is read. */
const FORM = ["content-type", "content-transfer-encoding", "content-disposition"]
/** Header fields that decide who gets an answer. */
const ANSWERED = ["reply-to", "to", "cc"] as const
/** Matches a header field as parse/form.ts and postal-mime do: any number of blanks may precede its colon. */
const FIELD = /^([!-9;-~]+)[ \t]*:/gm

const fieldsOf = (bytes: Buffer): ReadonlySet<string> => {
  const text = bytes.toString("latin1")
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length
  return new Set([...text.slice(0, end).matchAll(FIELD)].map(([, name = ""]) => name.toLowerCase()))
}

const covers = ({ status, signingHeaders }: DKIMResult, fields: ReadonlyArray<string>): boolean => {
  const signed = new Set((signingHeaders?.keys ?? "").toLowerCase().split(/[\s:]+/))
  return status.result === "pass" && fields.every((field) => signed.has(field))
}

const BEST_FIRST: ReadonlyArray<Verdict> = ["PASS", "GRAY", "FAIL"]

/** A single valid signature is enough. */
const bestOf = (verdicts: ReadonlyArray<Verdict>): Verdict =>
  BEST_FIRST.find((verdict) => verdicts.includes(verdict)) ?? "NONE"

export const judge = async (
  raw: Uint8Array,
  { ip, helo, sender }: Origin,
  resolver: Lookup,
  mta: string
): Promise<JudgedSender> => {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  if (isTooMuchToJudge(bytes)) return UNJUDGED
  try {
    const { spf, dkim, dmarc } = await authenticate(bytes, { ip, helo, sender, mta, resolver, disableBimi: true })
    const verdicts: JudgedSender["verdicts"] = {
      ...NO_VERDICTS,
      spf: spf === false ? "NONE" : verdictOf(spf.status.result),
      dkim: bestOf(dkim.results.map(({ status }) => signatureVerdict(status.result))),
      dmarc: dmarc === false ? "NONE" : verdictOf(dmarc.status.result)
    }
    const proof = dmarc === false ? undefined : dmarc.alignment
    // A signature proves only the fields that it covers. With SPF, the whole message comes from the sender's domain.
    const isBySignature = proof?.dkim.result !== undefined && proof.spf.result === undefined
    const signatures = dkim.results.filter((one) => one.signingDomain === proof?.dkim.result)
    const fields = fieldsOf(bytes)
    const isCovered = (all: ReadonlyArray<string>) => signatures.some((one) => covers(one, all))
    const form = FORM.filter((field) => fields.has(field))
    const unsigned = isBySignature ? ANSWERED.filter((field) => fields.has(field) && !isCovered([field])) : []
    const reasons: ReadonlyArray<VerdictReason> = !isBySignature
      ? []
      : [
          ...(isCovered(["subject"]) ? [] : (["subject_unsigned"] as const)),
          ...(isCovered(form) ? [] : (["form_unsigned"] as const)),
          ...(unsigned.includes("reply-to") ? (["reply_to_unsigned"] as const) : [])
        ]
    return {
      verdicts,
      author: dmarc === false ? "" : (mailDomain(dmarc.status.header?.from ?? "") ?? ""),
      ...(reasons.length > 0 ? { reasons } : {}),
      ...(unsigned.length > 0 ? { unsigned } : {})
    }
  } catch {
    // A message that the library cannot read is not lost.
    return UNJUDGED
  }
}
