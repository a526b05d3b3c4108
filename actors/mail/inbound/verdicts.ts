/**
 * What a message's origin is worth (spec 2.9), as a thread has judged it (judge.ts).
 *
 * Invariants
 *  - DMARC passes for the sender that is shown, or for nobody: the header is read twice, by who judges and by who reads
 *    the message (parse/read.ts), and a stranger may write it so that two readers see two senders.
 *  - DMARC never passes for a message that is not the same to all readers (contract 22): it is FAIL, with reasons.
 */
import type { Verdict, VerdictReason, Verdicts } from "../../../schemas/mail/records.ts"

export interface Origin {
  /** The client's address. */
  readonly ip: string
  readonly helo: string
  /** Of the envelope; empty for what tells of mail that could not be delivered. */
  readonly sender: string
}

export interface Judged {
  readonly verdicts: Omit<Verdicts, "reasons">
  /** Reasons that DMARC fails although the library let it pass. */
  readonly reasons?: ReadonlyArray<VerdictReason>
  /** Of the sender that DMARC was asked about; `null` where whoever judged does not tell. */
  readonly author: string | null
}

export const NO_VERDICTS: Judged["verdicts"] = { spf: "NONE", dkim: "NONE", dmarc: "NONE", spam: "NONE", virus: "NONE" }

/** Nobody could say: nothing speaks against it, nor for it. */
export const UNJUDGED: Judged = {
  verdicts: { ...NO_VERDICTS, spf: "GRAY", dkim: "GRAY", dmarc: "GRAY" },
  author: null
}

/** The one that says most against a message counts. */
const WORST_FIRST: ReadonlyArray<Verdict> = ["FAIL", "GRAY", "PROCESSING_FAILED", "PASS"]

/** Of several that looked for the same. */
export const worst = (...verdicts: ReadonlyArray<Verdict>): Verdict =>
  WORST_FIRST.find((one) => verdicts.includes(one)) ?? "NONE"

/** `from`: the sender that is shown. `doubts`: of who has read the message (parse/form.ts). */
export const verdictsAbout = (
  from: string,
  { verdicts, author, reasons: ofJudge = [] }: Judged,
  doubts: ReadonlyArray<VerdictReason> = []
): Verdicts => {
  const reasons = [...doubts, ...ofJudge]
  if (reasons.length > 0) return { ...verdicts, dmarc: "FAIL", reasons }
  const isMeant = from !== "" && (author === null || from.slice(from.lastIndexOf("@") + 1) === author)
  return { ...verdicts, dmarc: verdicts.dmarc !== "PASS" || isMeant ? verdicts.dmarc : "NONE", reasons }
}
