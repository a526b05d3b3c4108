/**
 * Applies a mailbox's rules (contract 20). Pure.
 *
 * A sender is blocked by the envelope or by the message's own header, since either is reason enough. An allowed sender
 * must be the one in the message's header, because anybody can choose any envelope sender.
 */
import type { MailRule, MailRules, Verdict } from "../../../schemas/mail/records.ts"
import { matchesSender } from "../../../schemas/mail/senders.ts"

export interface RuleInput {
  /** The sender in the envelope; empty if it names none. */
  readonly sender: string
  /** The sender in the message's header; empty if it names none. */
  readonly from: string
  /** True if From names one sender, and every program reads the same one. */
  readonly isOneSender: boolean
  readonly dmarc: Verdict
  /** True if the message has a code, or a link to log in or to confirm something. */
  readonly letsIn: boolean
}

export const namesSender = (rules: ReadonlyArray<string>, address: string): boolean =>
  address !== "" && rules.some((rule) => matchesSender(rule, address))

/** Returns the first rule that keeps the message out; `null` if there is none. */
export const ruleAgainst = (
  { block_senders, allow_senders, require_dmarc, only_codes }: MailRules,
  { sender, from, isOneSender, dmarc, letsIn }: RuleInput
): MailRule | null => {
  if (namesSender(block_senders, sender) || namesSender(block_senders, from)) return "block_senders"
  if (allow_senders.length > 0 && !(isOneSender && namesSender(allow_senders, from))) return "allow_senders"
  if (require_dmarc && dmarc !== "PASS") return "require_dmarc"
  return only_codes && !letsIn ? "only_codes" : null
}
