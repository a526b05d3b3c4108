/** Decisions on a message. Pure. */
import { notFound, type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { FiredTimer } from "../../../schemas/timer.ts"
import { type Decision, firing } from "../../engine/definition.ts"
import type { MailMessageEvent, MailMessageState } from "./state.ts"

export const EXPIRE_TIMER = "expire"

export const noMail: { readonly refused: Refusal } = { refused: notFound("message") }

type Decided = Decision<MailMessageEvent, null>

export const decideRead = (state: MailMessageState, { agent }: { readonly agent: string }): Decided => {
  if (state === null || state.agent !== agent) return noMail
  const isUnread = state.box === "inbox" && state.read_at === null
  return { events: isUnread ? [{ type: "mail.read", v: 1, agent }] : [] }
}

/** Unix ms when the message was created; `null` if there is none. */
export const beganAt = (state: MailMessageState): number | null =>
  state === null ? null : state.box === "inbox" ? state.received_at : state.sent_at

/** The end of a message's retention. The timer changes nothing if the message is not there yet, or is gone. */
export const decideExpire =
  (retentionMs: number) =>
  (state: MailMessageState, fired: FiredTimer, { at }: { readonly at: number }): Decided => {
    if (fired.name !== EXPIRE_TIMER || state === null) return { events: [] }
    // If the retention was changed since, the message is deleted at the time that its timer was set for.
    if (firing(fired, (beganAt(state) ?? at) + retentionMs, at) === "early")
      return { refused: unavailable("The message is not due yet by this node's clock.") }
    return { events: [{ type: "mail.expired", v: 1, agent: state.agent }] }
  }
