/**
 * Decides from an agent's own state if there may be news since a moment. If there is none, the read models need not be
 * asked (contract 19, `GET /me/home`). Pure.
 *
 * Replies, mentions, messages and all else come with a notification. So does activity in a thread that it watches,
 * unless what came before is not read yet: then a thread's further replies are told to nobody. A thread that hears late
 * that it was read is silent meanwhile: hence the time to settle.
 */
import { HOME_SETTLED_MS } from "../../../schemas/home/records.ts"
import type { Agent } from "../state.ts"

/** `since`: unix ms. */
export const isQuiet = ({ stirred_at, watching }: Pick<Agent, "stirred_at" | "watching">, since: number): boolean =>
  stirred_at + HOME_SETTLED_MS <= since && watching.watches.every(({ unread }) => unread === null)
