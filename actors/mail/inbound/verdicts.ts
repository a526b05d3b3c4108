/**
 * The verdicts on a message's origin (spec 2.9), and the rules that combine them.
 *
 * Invariants
 *  - If DMARC was checked for another domain than the displayed sender's, it is FAIL. The header is parsed twice, by
 *    the judge and by the message parser (parse/read.ts), and a stranger may write it so that they see different
 *    senders.
 *  - If parsers may read a message differently (contract 22), DMARC is FAIL, with reasons.
 */
import type { Verdict, VerdictReason, Verdicts } from "../../../schemas/mail/records.ts"
import type { UnsignedField } from "../../../schemas/mail/stored.ts"

export interface Origin {
  readonly ip: string
  readonly helo: string
  /** The sender in the envelope; empty for reports of failed deliveries. */
  readonly sender: string
}

export interface JudgedSender {
  readonly verdicts: Omit<Verdicts, "reasons">
  /** Reasons why DMARC is FAIL although the library reports PASS. */
  readonly reasons?: ReadonlyArray<VerdictReason>
  /**
   * Fields that decide where an answer goes, but are not covered by the only proof of the sender. Anybody may have
   * added them.
   */
  readonly unsigned?: ReadonlyArray<UnsignedField>
  /** The domain of the sender that DMARC was checked for; `null` if the judge does not say. */
  readonly author: string | null
}

export const NO_VERDICTS: JudgedSender["verdicts"] = {
  spf: "NONE",
  dkim: "NONE",
  dmarc: "NONE",
  spam: "NONE",
  virus: "NONE"
}

/** The verdict if nothing could be checked: there is no evidence for or against the message. */
export const UNJUDGED: JudgedSender = {
  verdicts: { ...NO_VERDICTS, spf: "GRAY", dkim: "GRAY", dmarc: "GRAY" },
  author: null
}

const WORST_FIRST: ReadonlyArray<Verdict> = ["FAIL", "GRAY", "PROCESSING_FAILED", "PASS"]

/** The worst of several verdicts on the same question. */
export const worst = (...verdicts: ReadonlyArray<Verdict>): Verdict =>
  WORST_FIRST.find((one) => verdicts.includes(one)) ?? "NONE"

/** Reasons why From does not prove the message's sender. */
const OF_FROM: ReadonlySet<VerdictReason> = new Set<VerdictReason>(["from_domains", "from_unclear"])

/** True if From names one sender, and every program reads the same one. */
export const namesOneSender = ({ reasons }: Pick<Verdicts, "reasons">): boolean =>
  !reasons.some((reason) => OF_FROM.has(reason))

/** `from`: the displayed sender. `doubts`: the reasons that the parser found (parse/form.ts). */
export const verdictsAbout = (
  from: string,
  { verdicts, author, reasons: ofJudge = [] }: JudgedSender,
  doubts: ReadonlyArray<VerdictReason> = []
): Verdicts => {
  const isOther = from !== "" && author !== null && from.slice(from.lastIndexOf("@") + 1) !== author
  const isUnnamed = isOther && !doubts.some((doubt) => OF_FROM.has(doubt))
  const reasons: ReadonlyArray<VerdictReason> = [...doubts, ...ofJudge, ...(isUnnamed ? ["from_unclear" as const] : [])]
  if (reasons.length > 0) return { ...verdicts, dmarc: "FAIL", reasons }
  return { ...verdicts, dmarc: from === "" && verdicts.dmarc === "PASS" ? "NONE" : verdicts.dmarc, reasons }
}
