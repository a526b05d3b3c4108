/** What the provider told: `null` where nothing of that id came, or longer ago than the log keeps it. */
import { Schema } from "effect"
import { NOTICE_OUTCOMES } from "../../../schemas/mail/notice.ts"
import { event, inventoryOf } from "../../engine/events.ts"
import type { ActorOf } from "../../kind.ts"

/** What it says is in the log alone. */
export const NoticeState = Schema.NullOr(
  Schema.Struct({
    status: Schema.Literals(["waiting", ...NOTICE_OUTCOMES]),
    reason: Schema.NullOr(Schema.String)
  })
)
export type NoticeState = typeof NoticeState.Type

export const NoticeEvent = Schema.Union([
  event("mail_notice.taken", 1, { sealed: Schema.String }),
  event("mail_notice.settled", 1, {
    outcome: Schema.Literals(NOTICE_OUTCOMES),
    reason: Schema.NullOr(Schema.String)
  })
])
export type NoticeEvent = typeof NoticeEvent.Type

export const NOTICE_EVENTS = inventoryOf(NoticeEvent)

export type NoticeActor = ActorOf<NoticeState, NoticeEvent>

export const evolveNotice = (state: NoticeState, event: NoticeEvent): NoticeState => {
  if (event.type === "mail_notice.taken") return { status: "waiting", reason: null }
  return state === null ? null : { status: event.outcome, reason: event.reason }
}
