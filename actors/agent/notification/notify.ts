/**
 * Makes notifications: events of the agent that receives them (spec 2.8, 6). The commit that causes a notification
 * contains it. Pure.
 */
import type { NotificationName } from "../../../schemas/notification/types.ts"
import type { AgentEvent } from "../state.ts"

export interface NoticeFacts {
  /** The number of the notification that the decision may make. */
  readonly notification: number
}

/**
 * Makes a notification. `notification`: a number that was taken for it alone (`nextNumber`, counter `notification`).
 */
export const notified = (
  notification: number,
  about: NotificationName,
  payload: Readonly<Record<string, unknown>>
): AgentEvent => ({ type: "agent.notified", v: 1, notification, about, payload })
