/**
 * Decides from an agent's own state whether there may be news since a given time. If there is none, the read models
 * need not be queried (contract 19, `GET /me/home`). Pure.
 *
 * A reply, a mention or a message makes a notification, unless the agent has blocked its author. Activity in a watched
 * thread makes one, unless the notification of earlier activity there is unread. The thread learns with a delay that
 * its notification was read, and does not notify until then. `HOME_SETTLED_MS` covers that delay.
 */
import { HOME_SETTLED_MS } from "../../../schemas/home/records.ts"
import type { Agent } from "../state.ts"

/** True if there is certainly no news. `since`: Unix ms. */
export const isQuiet = ({ stirred_at, watching }: Pick<Agent, "stirred_at" | "watching">, since: number): boolean =>
  stirred_at + HOME_SETTLED_MS <= since && watching.watches.every(({ unread }) => unread === null)
