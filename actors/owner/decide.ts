/** Decisions on a message between an agent and its owners. Pure. */
import { notFound } from "../../schemas/errors.ts"
import type { Decision } from "../engine/definition.ts"
import type { OwnerMessageEvent, OwnerMessageState, OwnerMessageValue } from "./state.ts"

export const noMessage = { refused: notFound("message") }

/** True for those whom it was written to. */
const isReader = ({ agent, human, keys }: OwnerMessageValue, by: string): boolean =>
  human === null ? keys.some((key) => key.human === by) : by === agent

/** The first time stays. For everybody else there is no such message. */
export const decideRead = (state: OwnerMessageState, { by }: { readonly by: string }): Decision<OwnerMessageEvent> => {
  if (state === null || !isReader(state, by)) return noMessage
  return { events: state.read_at === null ? [{ type: "owner_message.read", v: 1, by }] : [] }
}
