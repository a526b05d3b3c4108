/** Decisions on what the provider told. Pure. */
import { notFound } from "../../../schemas/errors.ts"
import type { NoticeOutcome } from "../../../schemas/mail/notice.ts"
import type { Decision } from "../../engine/definition.ts"
import type { NoticeEvent, NoticeState } from "./state.ts"

/** `sealed`: what it says; `null` where it was taken before, and is sealed already. */
export const decideTake = (
  state: NoticeState,
  { facts: { sealed } }: { readonly facts: { readonly sealed: string | null } }
): Decision<NoticeEvent, { readonly taken: boolean }> =>
  state !== null || sealed === null
    ? { events: [], reply: { taken: false } }
    : { events: [{ type: "mail_notice.taken", v: 1, sealed }], reply: { taken: true } }

/** The first outcome stands: whoever carries it out a second time has come to the same. */
export const decideSettle = (state: NoticeState, { outcome, reason }: NoticeOutcome): Decision<NoticeEvent, null> => {
  if (state === null) return { refused: notFound("notification") }
  return { events: state.status === "waiting" ? [{ type: "mail_notice.settled", v: 1, outcome, reason }] : [] }
}
