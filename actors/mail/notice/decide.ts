/** Decisions on notifications of the provider (state.ts has the rules). Pure. */
import { notFound, type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { NoticeOutcome } from "../../../schemas/mail/notice.ts"
import type { FiredTimer } from "../../../schemas/timer.ts"
import { type Decision, firing } from "../../engine/definition.ts"
import type { NoticeEvent, NoticeState } from "./state.ts"

export const AGAIN_TIMER = "again"
export const OVER_TIMER = "over"

export const NOBODY = "nobody has carried it out in its time"

type Bounds = Limits["service"]["mail"]

const NOTHING: Decision<NoticeEvent, null> = { events: [] }
const TOO_EARLY: { readonly refused: Refusal } = {
  refused: unavailable("The notification is not due yet by this node's clock.")
}
export const noNotice: { readonly refused: Refusal } = { refused: notFound("notification") }

/** `sealed`: the notice's content; `null` if it was taken before, so that the log has it already. */
export const decideTake = (
  state: NoticeState,
  { at, facts: { sealed } }: { readonly at: number; readonly facts: { readonly sealed: string | null } },
  { notice_over_seconds }: Pick<Bounds, "notice_over_seconds">
): Decision<NoticeEvent, { readonly taken: boolean }> =>
  state !== null || sealed === null
    ? { events: [], reply: { taken: false } }
    : {
        events: [{ type: "mail_notice.taken", v: 1, sealed }],
        reply: { taken: true },
        timers: [{ name: OVER_TIMER, at: at + notice_over_seconds * 1000 }]
      }

/** The first outcome counts. */
export const decideSettle = (state: NoticeState, { outcome, reason }: NoticeOutcome): Decision<NoticeEvent, null> => {
  if (state === null) return noNotice
  return { events: state.status === "waiting" ? [{ type: "mail_notice.settled", v: 1, outcome, reason }] : [] }
}

export const againMs = (
  { notice_again_ms, notice_again_max_ms }: Pick<Bounds, "notice_again_ms" | "notice_again_max_ms">,
  attempt: number
): number => Math.min(notice_again_ms * 2 ** Math.min(attempt - 1, 20), notice_again_max_ms)

/** A report of another attempt than the current one changes nothing. */
export const decidePutOff = (
  state: NoticeState,
  { attempt, reason }: { readonly attempt: number; readonly reason: string },
  { at }: { readonly at: number },
  bounds: Bounds
): Decision<NoticeEvent, { readonly given_up: boolean }> => {
  if (state === null) return noNotice
  if (state.status !== "waiting" || state.due !== null || state.attempt !== attempt)
    return { events: [], reply: { given_up: false } }
  if (at - state.taken_at >= bounds.notice_give_up_seconds * 1000)
    return {
      events: [{ type: "mail_notice.settled", v: 1, outcome: "given_up", reason }],
      reply: { given_up: true }
    }
  const due = at + againMs(bounds, attempt)
  return {
    events: [{ type: "mail_notice.put_off", v: 1, attempt, reason, due }],
    reply: { given_up: false },
    timers: [{ name: AGAIN_TIMER, at: due }]
  }
}

export const decideTimer = (
  state: NoticeState,
  fired: FiredTimer,
  { at }: { readonly at: number }
): Decision<NoticeEvent, null> => {
  if (state === null || state.status !== "waiting") return NOTHING
  if (fired.name === OVER_TIMER) {
    if (fired.at !== undefined && at < fired.at) return TOO_EARLY
    return { events: [{ type: "mail_notice.settled", v: 1, outcome: "given_up", reason: state.reason ?? NOBODY }] }
  }
  if (fired.name !== AGAIN_TIMER || state.due === null) return NOTHING
  const now = firing(fired, state.due, at)
  if (now === "early") return TOO_EARLY
  return now === "due" ? { events: [{ type: "mail_notice.due", v: 1, attempt: state.attempt + 1 }] } : NOTHING
}
