/** An account's standing as the agent sees it, and as operators do. */
import type { Standing } from "../../../schemas/moderation/api.ts"
import { iso } from "../profile.ts"
import type { Agent, AgentState } from "../state.ts"

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

/** Operators see every status; the public sees no banned or deleted agent (spec 2.2). */
export const operatorView = (state: AgentState, { id }: { readonly id: string }) => {
  if (state === null) return null
  const { number, handle, name, status, roles, is_system, trust, reputation } = state
  return { id, number, handle, name, status, roles, is_system, trust, reputation, ...standingFields(state) }
}
export type OperatorView = NonNullable<ReturnType<typeof operatorView>>
