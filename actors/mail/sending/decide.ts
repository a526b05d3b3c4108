/** Decisions on a message on its way (state.ts has the rules). Pure. */
import { notFound, type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { SendingReport, SendOutcome } from "../../../schemas/mail/sending-operations.ts"
import type { SendingStatus } from "../../../schemas/mail/sent.ts"
import type { FiredTimer } from "../../../schemas/timer.ts"
import { type Decision, firing } from "../../engine/definition.ts"
import type { Restored } from "../../log/last-restore.ts"
import type { MailSendingEvent, MailSendingState, MailSendingValue } from "./state.ts"

export const RETRY_TIMER = "retry"

type Decided<Reply = null> = Decision<MailSendingEvent, Reply>

const NOTHING: Decided = { events: [] }
const NO_SENDING: { readonly refused: Refusal } = { refused: notFound("message") }

export const LOST = "It is not known whether it was sent: the attempt ended before the other side had answered."

/** A larger delay that the other side asks for is cut to this. */
const RETRY_AFTER_MAX_SECONDS = 86_400

const RESTORED =
  "It is not known whether it was sent: the service was restored from a backup, and this message waited then."

/**
 * True for a message that was in the queue at the time of the backup and may have been sent before the restore. `seq`:
 * the sequence of its last commit. So the first commit after a restore must settle an unsure message.
 */
export const isUnsure = (state: MailSendingState, seq: number, restored: Restored): boolean => {
  if (state === null || seq > restored.seq || state.phase === "over") return false
  // If the next attempt was not due yet, none can have been made.
  return !(state.phase === "waiting" && state.due !== null && state.due > restored.at)
}

interface Settling {
  readonly attempt: number
  readonly status: SendingStatus
  readonly detail: string | null
  readonly unknown?: boolean
  readonly own?: boolean
}

const aboutOf = ({ agent, mailbox, to, recipient, sealed, untagged, mail, n }: MailSendingValue) => ({
  agent,
  mailbox,
  to,
  recipient,
  sealed,
  ...(untagged === undefined ? {} : { untagged }),
  mail,
  n
})

const ownOf = ({ own }: { readonly own?: boolean | undefined }): { readonly own?: true } =>
  own === true ? { own } : {}

const settled = (
  state: MailSendingValue,
  { attempt, status, detail, unknown = false, own = false }: Settling
): MailSendingEvent => ({
  type: "mail_sending.settled",
  v: 1,
  ...aboutOf(state),
  attempt,
  status,
  detail,
  unknown,
  ...ownOf(own ? { own } : state)
})

interface TakenAttempt {
  readonly attempt: number | null
  readonly lost: boolean
}

const lost = (state: MailSendingValue, unsure: boolean): MailSendingEvent =>
  settled(state, {
    attempt: state.attempts,
    status: "failed",
    detail: unsure ? RESTORED : LOST,
    unknown: true
  })

const NONE: TakenAttempt = { attempt: null, lost: false }

/**
 * `unsure`: see `isUnsure`. `repeatable`: whether an attempt without a reported outcome may be made again; `null` if
 * the worker does not know yet.
 */
export const decideTake = (
  state: MailSendingState,
  { repeatable }: { readonly repeatable: boolean | null },
  unsure = false
): Decided<TakenAttempt> => {
  if (state === null) return NO_SENDING
  if (state.phase !== "called" && state.phase !== "attempting") return { events: [], reply: NONE }
  const isLost = state.phase === "attempting" || unsure
  if (isLost && repeatable === null) return { events: [], reply: { attempt: null, lost: true } }
  if (isLost && repeatable === false) return { events: [lost(state, unsure)], reply: NONE }
  const attempt = state.attempts + 1
  return { events: [{ type: "mail_sending.attempted", v: 1, attempt }], reply: { attempt, lost: false } }
}

const REASON_MAX_CHARS = 300

/** Records the outcome of an attempt. A repeated report, or one of an earlier attempt, changes nothing. */
export const decideSettle = (
  state: MailSendingState,
  { attempt, outcome }: { readonly attempt: number; readonly outcome: SendOutcome },
  { at }: { readonly at: number },
  retrySeconds: Readonly<Record<number, number>>
): Decided => {
  if (state === null) return NO_SENDING
  // The process that was thought to be lost has come back with the real outcome.
  const isLate = state.unknown && outcome.type !== "unknown"
  if (state.attempts !== attempt || !(state.phase === "attempting" || isLate)) return NOTHING
  switch (outcome.type) {
    case "sent":
    case "delivered":
      return { events: [settled(state, { attempt, status: outcome.type, detail: null })] }
    case "bounced": {
      const { own = false } = outcome
      return { events: [settled(state, { attempt, status: "bounced", detail: short(outcome.reason), own })] }
    }
    case "failed":
      return { events: [settled(state, { attempt, status: "failed", detail: short(outcome.reason) })] }
    case "unknown":
      return { events: [settled(state, { attempt, status: "failed", detail: LOST, unknown: true })] }
    case "passing": {
      const reason = short(outcome.reason)
      const wait = retrySeconds[attempt]
      if (wait === undefined) return { events: [settled(state, { attempt, status: "failed", detail: reason })] }
      const due = at + Math.max(wait, Math.min(outcome.retry_after ?? 0, RETRY_AFTER_MAX_SECONDS)) * 1000
      return {
        events: [{ type: "mail_sending.put_off", v: 1, attempt, reason, due }],
        timers: [{ name: RETRY_TIMER, at: due }]
      }
    }
  }
}

const short = (reason: string): string => reason.slice(0, REASON_MAX_CHARS)

export const decideRetry = (
  state: MailSendingState,
  fired: FiredTimer,
  { at }: { readonly at: number },
  unsure = false
): Decided => {
  if (state === null || fired.name !== RETRY_TIMER || state.phase !== "waiting" || state.due === null) return NOTHING
  const now = firing(fired, state.due, at)
  if (now === "early") return { refused: unavailable("The message is not due yet by this node's clock.") }
  if (now !== "due") return NOTHING
  if (unsure) return { events: [lost(state, true)] }
  return { events: [{ type: "mail_sending.due", v: 1, attempt: state.attempts + 1 }] }
}

/** The order of statuses. A report replaces a status of a lower rank, or an unknown outcome. */
const RANKS: Readonly<Record<SendingStatus, number>> = {
  queued: 0,
  sent: 1,
  delivered: 2,
  failed: 3,
  bounced: 4,
  complained: 5
}

const isFurther = (state: MailSendingValue, status: SendingStatus): boolean =>
  state.unknown || RANKS[status] > RANKS[state.status]

/**
 * True if the report is about this recipient. A server to which the recipient forwards mail may report on another
 * address.
 */
const isAbout = ({ recipient, untagged }: MailSendingValue, { of }: SendingReport): boolean =>
  of === undefined || of.includes(recipient) || (untagged !== undefined && of.includes(untagged.recipient))

/** `unsure`: see `isUnsure`. Then a message may have been sent although the log has no attempt. */
export const decideReport = (state: MailSendingState, report: SendingReport, unsure = false): Decided => {
  const { type, reason } = report
  if (state === null) return NO_SENDING
  if (!isAbout(state, report)) return NOTHING
  if ((state.attempts === 0 && !unsure) || !isFurther(state, type)) return NOTHING
  const detail = type === "delivered" ? null : short(reason)
  return { events: [{ type: "mail_sending.reported", v: 1, ...aboutOf(state), ...ownOf(state), status: type, detail }] }
}

/**
 * `unsure`: see `isUnsure`. The sending then ends in the same commit. A commit of this actor after the restore would
 * otherwise make it look as if it had been queued since.
 */
export const decideUnsubscribe = (state: MailSendingState, unsure = false): Decided => {
  if (state === null) return NO_SENDING
  if ((state.attempts === 0 && !unsure) || state.unsubscribed) return NOTHING
  const unsubscribed: MailSendingEvent = { type: "mail_sending.unsubscribed", v: 1, ...aboutOf(state) }
  return { events: unsure ? [lost(state, true), unsubscribed] : [unsubscribed] }
}
