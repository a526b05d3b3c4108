/** Decisions on a message between an agent and its owners. Pure. */
import { notFound } from "../../schemas/errors.ts"
import type { Decision } from "../engine/definition.ts"
import type { OwnerMessageEvent, OwnerMessageState, OwnerMessageValue } from "./state.ts"

export const noMessage = { refused: notFound("message") }

/** True for the recipients of the message. */
const isReader = ({ agent, human, keys }: OwnerMessageValue, by: string): boolean =>
  human === null ? keys.some((key) => key.human === by) : by === agent

/** Marks the message as read. Later reads change nothing. All except the recipients are refused as not found. */
export const decideRead = (state: OwnerMessageState, { by }: { readonly by: string }): Decision<OwnerMessageEvent> => {
  if (state === null || !isReader(state, by)) return noMessage
  return { events: state.read_at === null ? [{ type: "owner_message.read", v: 1, by }] : [] }
}
