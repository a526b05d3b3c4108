/**
 * A message on its way to one recipient. Its id is `sendingId`. `null`: never queued. The commit that sends the mail
 * creates it.
 *
 * Invariants
 *  - An attempt is in the log before it is made. If its outcome was not reported, it is made again only if that does no
 *    harm. Otherwise the sending ends, and its outcome is reported as unknown.
 *  - A finished sending stays finished, except for later reports by others: each report counts once.
 */
import { Schema } from "effect"
import { SendingStatus } from "../../../schemas/mail/sent.ts"
import { Sealed } from "../../../schemas/secret/sealed.ts"
import { event, inventoryOf } from "../../engine/events.ts"
import type { ActorOf } from "../../kit/kind.ts"

/** The address without its tag, if it has one. At most services both belong to the same person. */
const untagged = Schema.optionalKey(Schema.Struct({ recipient: Schema.String, sealed: Sealed }))

const queued = {
  agent: Schema.String,
  mailbox: Schema.Int,
  mail: Schema.Int,
  n: Schema.Int,
  /** Id of its recipient's actor. */
  recipient: Schema.String,
  /** The recipient's address, sealed under the mailbox's key. */
  to: Sealed,
  /** The address, sealed under the service's key, because suppressed addresses outlive the mailbox. */
  sealed: Sealed,
  untagged,
  /** True if the address is at one of this service's own domains. */
  own: Schema.optionalKey(Schema.Boolean)
}

export const MailSendingValue = Schema.Struct({
  ...queued,
  status: SendingStatus,
  detail: Schema.NullOr(Schema.String),
  /** `called`: an attempt is due. `attempting`: one is under way. `waiting`: a timer is set for the next one. */
  phase: Schema.Literals(["called", "attempting", "waiting", "over"]),
  attempts: Schema.Int,
  /** True if the outcome of the last attempt is unknown. */
  unknown: Schema.Boolean,
  unsubscribed: Schema.Boolean,
  /** Unix ms. */
  due: Schema.NullOr(Schema.Number)
})
export type MailSendingValue = typeof MailSendingValue.Type

export const MailSendingState = Schema.NullOr(MailSendingValue)
export type MailSendingState = typeof MailSendingState.Type

const about = { agent: Schema.String, mailbox: Schema.Int, to: Sealed }

const bad = { recipient: Schema.String, sealed: Sealed, untagged, mail: Schema.Int, n: Schema.Int }

export const MailSendingEvent = Schema.Union([
  event("mail_sending.queued", 1, queued),
  event("mail_sending.attempted", 1, { attempt: Schema.Int }),
  event("mail_sending.put_off", 1, { attempt: Schema.Int, reason: Schema.String, due: Schema.Number }),
  event("mail_sending.due", 1, { attempt: Schema.Int }),
  event("mail_sending.settled", 1, {
    ...about,
    ...bad,
    attempt: Schema.Int,
    status: SendingStatus,
    detail: Schema.NullOr(Schema.String),
    unknown: Schema.Boolean,
    /** True if the address is at one of this service's own domains. */
    own: Schema.optionalKey(Schema.Boolean)
  }),
  event("mail_sending.reported", 1, {
    ...about,
    ...bad,
    status: SendingStatus,
    detail: Schema.NullOr(Schema.String),
    own: Schema.optionalKey(Schema.Boolean)
  }),
  event("mail_sending.unsubscribed", 1, { ...about, ...bad })
])
export type MailSendingEvent = typeof MailSendingEvent.Type

export const MAIL_SENDING_EVENTS = inventoryOf(MailSendingEvent)

export type MailSendingActor = ActorOf<MailSendingState, MailSendingEvent>

export const evolveMailSending = (state: MailSendingState, event: MailSendingEvent): MailSendingState => {
  if (event.type === "mail_sending.queued") {
    const { type: _type, v: _v, ...of } = event
    const begun = {
      status: "queued",
      detail: null,
      phase: "called",
      attempts: 0,
      unknown: false,
      unsubscribed: false,
      due: null
    } as const
    return { ...of, ...begun }
  }
  if (state === null) return null
  switch (event.type) {
    case "mail_sending.attempted":
      return { ...state, phase: "attempting", attempts: event.attempt, due: null }
    case "mail_sending.put_off":
      return { ...state, status: "queued", detail: event.reason, phase: "waiting", unknown: false, due: event.due }
    case "mail_sending.due":
      return { ...state, phase: "called", due: null }
    case "mail_sending.settled":
      return { ...state, status: event.status, detail: event.detail, phase: "over", unknown: event.unknown, due: null }
    case "mail_sending.reported":
      return { ...state, status: event.status, detail: event.detail, phase: "over", unknown: false, due: null }
    case "mail_sending.unsubscribed":
      return { ...state, unsubscribed: true }
  }
}
