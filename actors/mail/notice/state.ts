/**
 * A notification of the provider. `null`: none with that id came, or the log has forgotten it.
 *
 * Invariants
 *  - Each commit with `taken` or `due` starts an attempt: the worker that gets it carries the notice out, and settles
 *    or postpones it. A postponed notice waits for a timer, and delays no other.
 *  - A settled notice stays settled. One that fails after `notice_give_up_seconds`, or is not settled within
 *    `notice_over_seconds`, is given up.
 */
import { Schema } from "effect"
import { NOTICE_OUTCOMES } from "../../../schemas/mail/notice.ts"
import { Sealed } from "../../../schemas/secret/sealed.ts"
import { event, inventoryOf } from "../../engine/events.ts"
import type { ActorOf } from "../../kit/kind.ts"

/** The state of a notice. Its content is only in the log. */
export const NoticeState = Schema.NullOr(
  Schema.Struct({
    status: Schema.Literals(["waiting", ...NOTICE_OUTCOMES]),
    reason: Schema.NullOr(Schema.String),
    /** Unix ms. */
    taken_at: Schema.Number,
    attempt: Schema.Int,
    /** Unix ms of a postponed notice's next attempt; `null` while an attempt is under way, and after the end. */
    due: Schema.NullOr(Schema.Number)
  })
)
export type NoticeState = typeof NoticeState.Type

export const NoticeEvent = Schema.Union([
  event("mail_notice.taken", 1, { sealed: Sealed }),
  event("mail_notice.put_off", 1, { attempt: Schema.Int, reason: Schema.String, due: Schema.Number }),
  event("mail_notice.due", 1, { attempt: Schema.Int }),
  event("mail_notice.settled", 1, {
    outcome: Schema.Literals(NOTICE_OUTCOMES),
    reason: Schema.NullOr(Schema.String)
  })
])
export type NoticeEvent = typeof NoticeEvent.Type

export const NOTICE_EVENTS = inventoryOf(NoticeEvent)

export type NoticeActor = ActorOf<NoticeState, NoticeEvent>

export const evolveNotice = (state: NoticeState, event: NoticeEvent, { at }: { readonly at: number }): NoticeState => {
  if (event.type === "mail_notice.taken")
    return { status: "waiting", reason: null, taken_at: at, attempt: 1, due: null }
  if (state === null) return null
  switch (event.type) {
    case "mail_notice.put_off":
      return { ...state, reason: event.reason, due: event.due }
    case "mail_notice.due":
      return { ...state, attempt: event.attempt, due: null }
    case "mail_notice.settled":
      return { ...state, status: event.outcome, reason: event.reason, due: null }
  }
}
