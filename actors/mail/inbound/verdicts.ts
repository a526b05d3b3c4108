/**
 * What a message's origin is worth (spec 2.9), as a thread has judged it (judge.ts).
 *
 * Invariants
 *  - DMARC passes for the sender that is shown, or for nobody: the header is read twice, by who judges and by who reads
 *    the message (parse/read.ts), and a stranger may write it so that two readers see two senders.
 */
import type { Verdicts } from "../../../schemas/mail/records.ts"

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

export const NO_VERDICTS: Verdicts = { spf: "NONE", dkim: "NONE", dmarc: "NONE", spam: "NONE", virus: "NONE" }

/** Nobody could say: nothing speaks against it, nor for it. */
export const UNJUDGED: Judged = {
  verdicts: { ...NO_VERDICTS, spf: "GRAY", dkim: "GRAY", dmarc: "GRAY" },
  author: null
}

/** `from`: the sender that is shown. */
export const verdictsAbout = (from: string, { verdicts, author }: Judged): Verdicts => {
  const isMeant = from !== "" && (author === null || from.slice(from.lastIndexOf("@") + 1) === author)
  return verdicts.dmarc !== "PASS" || isMeant ? verdicts : { ...verdicts, dmarc: "NONE" }
}
