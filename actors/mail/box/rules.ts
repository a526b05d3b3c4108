/**
 * What a mailbox's rules keep out (contract 20). Pure.
 *
 * Whom they block is known by the envelope or by what the message says of itself, since either is reason enough. Whom
 * they let in must be the one sender that the message names: an envelope is anybody's to choose.
 */
import type { MailRule, MailRules, Verdict } from "../../../schemas/mail/records.ts"
import { matchesSender } from "../../../schemas/mail/senders.ts"

export interface Judged {
  /** Of the envelope; empty where it names nobody. */
  readonly sender: string
  /** Of the message; empty where it names nobody. */
  readonly from: string
  /** Whether From names one sender, and every program reads the same one. */
  readonly isOneSender: boolean
  readonly dmarc: Verdict
  /** Whether there is a code, or a link that lets somebody in. */
  readonly letsIn: boolean
}

export const namesSender = (rules: ReadonlyArray<string>, address: string): boolean =>
  address !== "" && rules.some((rule) => matchesSender(rule, address))

/** The first that keeps it out; `null` where none does. */
export const ruleAgainst = (
  { block_senders, allow_senders, require_dmarc, only_codes }: MailRules,
  { sender, from, isOneSender, dmarc, letsIn }: Judged
): MailRule | null => {
  if (namesSender(block_senders, sender) || namesSender(block_senders, from)) return "block_senders"
  if (allow_senders.length > 0 && !(isOneSender && namesSender(allow_senders, from))) return "allow_senders"
  if (require_dmarc && dmarc !== "PASS") return "require_dmarc"
  return only_codes && !letsIn ? "only_codes" : null
}
