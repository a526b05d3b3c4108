/** What the agent actor does with its notifications; it is declared in schemas/notification/operations.ts. */
import { missing, statusRefusal } from "../decide.ts"
import type { AgentEvent, AgentState } from "../state.ts"
import { type Decision, type Operation, write } from "../../engine/definition.ts"

interface MarkRead {
  /** `null`: all of them. */
  readonly ids: ReadonlyArray<number> | null
}

/** Ids of other agents, or read before, count for nothing. Pure. */
export const decideRead = (state: AgentState, { ids }: MarkRead): Decision<AgentEvent> => {
  if (state === null) return missing
  const closed = statusRefusal(state, true)
  if (closed !== null) return { refused: closed }
  const wanted = ids === null ? null : new Set(ids)
  const read = wanted === null ? state.unread : state.unread.filter((id) => wanted.has(id))
  const reply = { marked_read: read.length }
  return read.length === 0
    ? { events: [], reply }
    : { events: [{ type: "agent.notifications_read", v: 1, ids: read }], reply }
}

export const notificationOperations: Readonly<Record<string, Operation<AgentState, AgentEvent>>> = {
  "notification.read": write<AgentState, MarkRead, AgentEvent>({
    decide: decideRead,
    answer: (_state, reply) => reply,
    projected: true
  })
}
