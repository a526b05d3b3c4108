/** Makes notifications: events of the agent that receives them (spec 2.8, 6). Pure. */
import type { NotificationName } from "../../../schemas/notification/types.ts"
import type { AgentEvent } from "../state.ts"

export interface NoticeFacts {
  readonly notification: number
}

/** `notification`: the number of this notification alone (draw.ts). */
export const notified = (
  notification: number,
  about: NotificationName,
  payload: Readonly<Record<string, unknown>>
): AgentEvent => ({ type: "agent.notified", v: 1, notification, about, payload })
