/**
 * A notification of the provider. `null`: none with that id came, or the log has forgotten it.
 *
 * Invariants
 *  - `taken` and each `due` call for it: the worker that gets such a commit carries it out, and settles it or puts it
 *    off. A postponed notice waits for a timer, and delays no other.
 *  - Settled it stays so. One that nobody has settled in `notice_over_seconds` is given up.
 */
import { Schema } from "effect"
import { NOTICE_OUTCOMES } from "../../../schemas/mail/notice.ts"
import { Sealed } from "../../../schemas/secret/sealed.ts"
import { event, inventoryOf } from "../../engine/events.ts"
import type { ActorOf } from "../../kit/kind.ts"

/** Its content is in the log alone. */
export const NoticeState = Schema.NullOr(
  Schema.Struct({
    status: Schema.Literals(["waiting", ...NOTICE_OUTCOMES]),
    reason: Schema.NullOr(Schema.String),
    /** Unix ms. */
    taken_at: Schema.Number,
    /** The last that was called for. */
    attempt: Schema.Int,
    /** Unix ms; `null` if an attempt is called for. */
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
