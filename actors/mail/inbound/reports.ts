/**
 * What mail servers send back: reports that a message could not be delivered (RFC 3464), and that its recipient did not
 * want it (RFC 5965). Pure; read line by line, as far as a report may be long.
 *
 * Invariants
 *  - A report counts for the one sending whose token it shows: by the address that it came to, or by what it repeats of
 *    the message. So whoever forges one must have got the message, and hurts nobody's but its own.
 *  - What is not said to have failed for good is no bounce; an answering machine is none either.
 */
import type { SendingReport } from "../../../schemas/mail/sending-operations.ts"
import { isSendingToken, type MailKeys } from "../keys.ts"
import { type Returned, returnedWithin } from "../outbound/return-path.ts"
import { sendingOf } from "../sending/id.ts"

type Keys = Pick<MailKeys, "service">

export interface Report {
  readonly sending: string
  readonly report: SendingReport
}

const COMPLAINT: SendingReport = { type: "complained", reason: "its recipient marked it as not wanted" }

const FEEDBACK = /^Feedback-Type:[ \t]*([a-z-]{1,40})/im
const DELIVERY_STATUS = /^Content-Type:[ \t]*message\/(?:global-)?delivery-status\b/im
const ACTION = /^Action:[ \t]*([a-z]{1,20})/im
const STATUS = /^Status:[ \t]*([245]\.\d{1,3}\.\d{1,3})/im
const OWN_REPORT = /^X-Hub-Report:[ \t]*([1-9]\d{0,14}-[1-9]\d?)-([0-9a-f]{16})/im

/** RFC 3463: what a server thinks of the message, of whoever sends or of the way says nothing of the address. */
const OF_ADDRESS = /^5\.(?:0\.0|1\.\d{1,3}|2\.1)$/

/** What is repeated of a message says by a header which sending it was: answers to it do not repeat that. */
const repeatedIn = (keys: Keys, text: string): string | null => {
  const [, sending = "", token] = OWN_REPORT.exec(text) ?? []
  return sendingOf(sending) !== null && isSendingToken(keys, "report", sending, token) ? sending : null
}

const failureIn = (text: string): SendingReport | null => {
  const begin = DELIVERY_STATUS.exec(text)
  if (begin === null) return null
  const part = text.slice(begin.index)
  const [, action = ""] = ACTION.exec(part) ?? []
  if (action.toLowerCase() !== "failed") return null
  const [, status = "5.0.0"] = STATUS.exec(part) ?? []
  return OF_ADDRESS.test(status)
    ? { type: "bounced", reason: `its server said that it cannot be delivered (${status})` }
    : { type: "failed", reason: `its server did not deliver it (${status})` }
}

/** `to`: the address that it came to, where that has a token; `null` where it is no report, or of nothing of ours. */
export const reportIn = (keys: Keys, raw: Buffer, to: Returned | null, maxBytes: number): Report | null => {
  const text = raw.subarray(0, maxBytes).toString("latin1")
  const isComplaint = FEEDBACK.exec(text) !== null
  const report = isComplaint ? COMPLAINT : failureIn(text)
  // Of failures only the address that they come to is believed: there every server sends them.
  const sending = to?.sending ?? (isComplaint ? (returnedWithin(keys, text)?.sending ?? repeatedIn(keys, text)) : null)
  return report === null || sending === null ? null : { sending, report }
}
