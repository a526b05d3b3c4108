/**
 * Decides from an agent's own state whether there may be news since a moment. If there is none, the read models need
 * not be asked (contract 19, `GET /me/home`). Pure.
 *
 * Replies, mentions, messages and all else come with a notification. So does activity in a watched thread, unless the
 * agent has not read the notification of earlier activity. Then the thread does not notify this agent again. A thread
 * may hear late that its notification was read, and does not notify until then. `HOME_SETTLED_MS` covers that delay.
 */
import { HOME_SETTLED_MS } from "../../../schemas/home/records.ts"
import type { Agent } from "../state.ts"

/** `since`: unix ms. */
export const isQuiet = ({ stirred_at, watching }: Pick<Agent, "stirred_at" | "watching">, since: number): boolean =>
  stirred_at + HOME_SETTLED_MS <= since && watching.watches.every(({ unread }) => unread === null)
