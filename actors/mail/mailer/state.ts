/** The state of an agent's mail. Its id is the agent's hub id. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { ActorOf } from "../../kit/kind.ts"
import { DAY_MS, dayCounted, NO_DAYS, SendingDays } from "../counted.ts"

/** Used by the fold, so it does not depend on configuration. */
const WRITTEN_MAX = 500

export const MailerState = Schema.Struct({
  mailboxes: Schema.Array(
    Schema.Struct({ mailbox: Schema.Int, address: Schema.String, claim: Schema.optionalKey(Schema.Int) })
  ),
  /** Ids of the recipients that the agent wrote to, the newest last: at most `WRITTEN_MAX`. */
  written: Schema.Array(Schema.String),
  /**
   * Numbers of recipients of the agent's mail within the last day. `outside`: those at other services; absent if all
   * are.
   */
  sent: Schema.Array(
    Schema.Struct({ at: Schema.Number, recipients: Schema.Int, outside: Schema.optionalKey(Schema.Int) })
  ),
  days: SendingDays,
  /** The part of `days` for recipients at other services. Only this part counts for the service's rates. */
  outside: SendingDays,
  /**
   * The part of `outside` since an operator let the service send again at `at` (Unix ms). Absent if nothing was counted
   * since.
   */
  since: Schema.optionalKey(Schema.Struct({ at: Schema.Number, days: SendingDays })),
  /** Unix ms when the agent's right to send was suspended; `null` while it may send. */
  suspended_at: Schema.NullOr(Schema.Number),
  /** Unix ms when the mailboxes of the banned agent are closed; `null` if the agent is not banned. */
  closes_at: Schema.NullOr(Schema.Number)
})
export type MailerState = typeof MailerState.Type

/** Unix ms of the last resumption of the service before this was counted. Absent if there was none. */
const since = Schema.optionalKey(Schema.Number)

export const MailerEvent = Schema.Union([
  /** `claim`: the claim of the agent's own domain at that time. */
  event("mailer.mailbox_opened", 1, {
    mailbox: Schema.Int,
    address: Schema.String,
    claim: Schema.optionalKey(Schema.Int)
  }),
  event("mailer.mailbox_closed", 1, { mailbox: Schema.Int }),
  /** `outside`: the number of recipients at other services; absent if all are. */
  event("mailer.sent", 1, {
    mail: Schema.Int,
    mailbox: Schema.Int,
    recipients: Schema.Int,
    outside: Schema.optionalKey(Schema.Int),
    since,
    /** Ids of its recipients, also without their tags. */
    to: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  event("mailer.counted", 1, {
    what: Schema.Literals(["bounced", "complained"]),
    own: Schema.optionalKey(Schema.Boolean),
    since
  }),
  event("mailer.suspended", 1, {
    bounce_rate: Schema.Number,
    bounces: Schema.Int,
    complaints: Schema.Int,
    window_days: Schema.Int
  }),
  event("mailer.reinstated", 1),
  event("mailer.ending", 1, { closes_at: Schema.Number })
])
export type MailerEvent = typeof MailerEvent.Type

export type MailerActor = ActorOf<MailerState, MailerEvent>

/** Absent for the service's own domain. */
export const claimOf = ({ claim }: { readonly claim?: number | undefined }): { readonly claim?: number } =>
  claim === undefined ? {} : { claim }

export const NO_MAIL: MailerState = {
  mailboxes: [],
  written: [],
  sent: [],
  days: NO_DAYS,
  outside: NO_DAYS,
  suspended_at: null,
  closes_at: null
}

export const evolveMailer = (state: MailerState, event: MailerEvent, { at }: { readonly at: number }): MailerState => {
  const { mailboxes, sent, days } = state
  switch (event.type) {
    case "mailer.mailbox_opened": {
      const { mailbox, address } = event
      return { ...state, mailboxes: [...without(mailboxes, mailbox), { mailbox, address, ...claimOf(event) }] }
    }
    case "mailer.mailbox_closed":
      return { ...state, mailboxes: without(mailboxes, event.mailbox) }
    case "mailer.sent": {
      const { recipients } = event
      const kept = sent.filter((one) => one.at > at - DAY_MS)
      return {
        ...state,
        written: [...new Set([...(event.to ?? []).toReversed(), ...state.written.toReversed()])]
          .slice(0, WRITTEN_MAX)
          .toReversed(),
        sent: [
          ...kept,
          {
            at,
            recipients,
            ...(event.outside === undefined || event.outside === recipients ? {} : { outside: event.outside })
          }
        ],
        days: dayCounted(days, "sent", recipients, at),
        ...outsideCounted(state, event.since, (some) => dayCounted(some, "sent", event.outside ?? recipients, at))
      }
    }
    case "mailer.counted":
      return {
        ...state,
        days: dayCounted(days, event.what, 1, at),
        ...(event.own === true ? {} : outsideCounted(state, event.since, (some) => dayCounted(some, event.what, 1, at)))
      }
    case "mailer.suspended":
      return { ...state, suspended_at: at }
    case "mailer.reinstated":
      return { ...withoutSince(state), days: NO_DAYS, outside: NO_DAYS, suspended_at: null }
    case "mailer.ending":
      return { ...state, closes_at: event.closes_at }
  }
}

/** Applies a change to `outside`, and to its part since the service was last resumed. */
const outsideCounted = (
  state: MailerState,
  resumedAt: number | undefined,
  change: (days: SendingDays) => SendingDays
): Pick<MailerState, "outside" | "since"> => ({
  outside: change(state.outside),
  ...(resumedAt === undefined ? {} : { since: { at: resumedAt, days: change(daysSince(state, resumedAt)) } })
})

/** The part of `outside` that the service counts. `resumedAt`: when it was last resumed, if it was. */
export const daysSince = ({ outside, since }: MailerState, resumedAt: number | undefined): SendingDays => {
  if (resumedAt === undefined) return outside
  return since?.at === resumedAt ? since.days : NO_DAYS
}

const withoutSince = ({ since: _since, ...state }: MailerState): MailerState => state

const without = (mailboxes: MailerState["mailboxes"], mailbox: number): MailerState["mailboxes"] =>
  mailboxes.filter((one) => one.mailbox !== mailbox)
