/**
 * Parses reports of mail servers that a message could not be delivered (RFC 3464), or that its recipient did not want
 * it (RFC 5965). Pure. Only the first `maxBytes` of a message are read.
 *
 * Invariants
 *  - A report counts for the one sending whose token it contains, in the address that it came to or in the part of the
 *    message that it repeats. So a forger must have received the message, and can harm only that one sending.
 *  - A report of a failure that names recipients counts only for these (contract 22), because servers of people who
 *    forward our mail send their reports to us as well. One that names none counts for the sending's recipient.
 *  - Only a status that says that the address does not exist is a bounce. A temporary failure and an automatic answer
 *    are none.
 */
import { isNoSuchAddress } from "../../../schemas/mail/bounces.ts"
import type { SendingReport } from "../../../schemas/mail/sending-operations.ts"
import { receivedAddress } from "../../../schemas/mail/senders.ts"
import { isSendingToken, type MailKeys, recipientId } from "../keys.ts"
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
const RECIPIENT = /^(?:Final|Original)-Recipient:[ \t]*[a-z0-9-]{1,20}[ \t]*;[ \t]*(\S{1,320})/gim
const BLOCK_END = /\r?\n[ \t]*\r?\n/
const BOUNDARY = /^--/m
const OWN_REPORT = /^X-Hub-Report:[ \t]*([1-9]\d{0,14}-[1-9]\d?)-([0-9a-f]{16})/im

/**
 * Returns the sending that the repeated headers of the original message name. Answers of people do not repeat headers.
 */
const repeatedIn = (keys: Keys, text: string): string | null => {
  const [, sending = "", token] = OWN_REPORT.exec(text) ?? []
  return sendingOf(sending) !== null && isSendingToken(keys, "report", sending, token) ? sending : null
}

/** The number of recipients that are read from one report. */
const BLOCKS_MAX = 20

/** The blocks for the recipients. They follow the part's own header, up to the part's end. */
const blocksIn = (text: string): ReadonlyArray<string> => {
  const begin = DELIVERY_STATUS.exec(text)
  if (begin === null) return []
  const [, ...blocks] = text.slice(begin.index).split(BLOCK_END, BLOCKS_MAX + 2)
  const end = blocks.findIndex((block) => BOUNDARY.test(block))
  return end < 0 ? blocks : [...blocks.slice(0, end), (blocks[end] ?? "").split(BOUNDARY, 1)[0] ?? ""]
}

const named = (keys: Keys, block: string): Pick<SendingReport, "of"> => {
  const addresses = [...block.matchAll(RECIPIENT)].flatMap(
    ([, text = ""]) => receivedAddress(text.replace(/^<|>$/g, "")) ?? []
  )
  return addresses.length === 0 ? {} : { of: addresses.map((address) => recipientId(keys, address)) }
}

const failureIn = (keys: Keys, block: string): ReadonlyArray<SendingReport> => {
  const [, action = ""] = ACTION.exec(block) ?? []
  if (action.toLowerCase() !== "failed") return []
  const [, status = "5.0.0"] = STATUS.exec(block) ?? []
  const reason = `its server did not deliver it (${status})`
  return [
    isNoSuchAddress(status)
      ? {
          type: "bounced",
          reason: `its server said that the address does not exist (${status})`,
          ...named(keys, block)
        }
      : { type: "failed", reason, ...named(keys, block) }
  ]
}

/**
 * `to`: the address that the report came to, if it has a token. Empty if the mail is no report, or is about nothing
 * that we sent.
 */
export const reportsIn = (keys: Keys, raw: Buffer, to: Returned | null, maxBytes: number): ReadonlyArray<Report> => {
  const text = raw.subarray(0, maxBytes).toString("latin1")
  const isComplaint = FEEDBACK.exec(text) !== null
  const reports = isComplaint ? [COMPLAINT] : blocksIn(text).flatMap((block) => failureIn(keys, block))
  // For delivery failures, only the address that they come to is trusted, because every server sends them there.
  const sending = to?.sending ?? (isComplaint ? (returnedWithin(keys, text)?.sending ?? repeatedIn(keys, text)) : null)
  return sending === null ? [] : reports.map((report) => ({ sending, report }))
}
