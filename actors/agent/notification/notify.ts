/**
 * Notifications as events of the agent they are for (spec 2.8, 6): in its own log, in the commit that causes them.
 * Pure.
 */
import { NOTIFICATION_TYPES } from "../../../schemas/notification/types.ts"
import type { AgentEvent } from "../state.ts"

const KNOWN: ReadonlySet<string> = new Set(NOTIFICATION_TYPES.map((entry) => entry.type))

export interface NoticeFacts {
  /** Number of the notification that the decision may make. */
  readonly notification: number
}

/** `notification`: a number drawn for it alone (`nextNumber`, counter `notification`). */
export const notified = (
  notification: number,
  about: string,
  payload: Readonly<Record<string, unknown>>
): AgentEvent => {
  if (!KNOWN.has(about)) throw new Error(`There is no notification type ${about}`)
  return { type: "agent.notified", v: 1, notification, about, payload }
}
