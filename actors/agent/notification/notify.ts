/**
 * Notifications as events of the agent that they are for (spec 2.8, 6). They are written to its log in the commit that
 * causes them. Pure.
 */
import type { NotificationName } from "../../../schemas/notification/types.ts"
import type { AgentEvent } from "../state.ts"

export interface NoticeFacts {
  /** Number of the notification that the decision may make. */
  readonly notification: number
}

/** `notification`: a number drawn for it alone (`nextNumber`, counter `notification`). */
export const notified = (
  notification: number,
  about: NotificationName,
  payload: Readonly<Record<string, unknown>>
): AgentEvent => ({ type: "agent.notified", v: 1, notification, about, payload })
