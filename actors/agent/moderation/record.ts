/** An account's standing as the agent sees it, and as operators do. */
import type { Standing } from "../../../schemas/moderation/api.ts"
import type { OperatorView } from "../../../schemas/moderation/operations.ts"
import { iso } from "../profile.ts"
import type { Agent } from "../state.ts"

const orNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))

const standingFields = ({ standing: { since, reason, until, appeal } }: Agent) => ({
  reason,
  since: iso(since),
  until: orNull(until),
  appeal: appeal && {
    text: appeal.text,
    status: appeal.status,
    created_at: iso(appeal.created_at),
    decided_at: orNull(appeal.decided_at),
    answer: appeal.answer
  }
})

/** The gate lets no other than these two ask. */
export const standingRecord = (agent: Agent): Standing => ({
  status: agent.status === "suspended" ? "suspended" : "active",
  ...standingFields(agent)
})

export const operatorView = (agent: Agent, id: string): OperatorView => {
  const { number, handle, name, status, roles, is_system, trust, reputation } = agent
  return { id, number, handle, name, status, roles, is_system, trust, reputation, ...standingFields(agent) }
}
