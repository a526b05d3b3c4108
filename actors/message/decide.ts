/** Decisions on a private message. Pure. */
import { notFound, refusal } from "../../schemas/errors.ts"
import type { Decision } from "../engine/definition.ts"
import type { MessageEvent, MessageState } from "./state.ts"

export const noMessage = { refused: notFound("message") }

const notRecipient = {
  refused: refusal("not_recipient", "You wrote this message: its recipient alone marks it as read.")
}

/** The first time stays. For a third agent there is no such message. */
export const decideRead = (message: MessageState, { by }: { readonly by: string }): Decision<MessageEvent> => {
  if (message === null || (by !== message.to && by !== message.from)) return noMessage
  if (by === message.from) return notRecipient
  return { events: message.read_at === null ? [{ type: "message.read", v: 1, by }] : [] }
}
