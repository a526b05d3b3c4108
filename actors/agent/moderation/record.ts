/** The views of an account's standing: one for the agent itself, one for operators. */
import type { Standing } from "../../../schemas/moderation/api.ts"
import type { OperatorView, ReporterWeight } from "../../../schemas/moderation/operations.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { iso } from "../../../schemas/iso.ts"
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

/** The agent is active or suspended, because the gate refuses requests of all others. */
export const standingRecord = (agent: Agent): Standing => ({
  status: agent.status === "suspended" ? "suspended" : "active",
  ...standingFields(agent)
})

/** The weight of an agent's reports (contract 3, 22). */
export const reporterWeight = (
  { status, roles, created_at, trust }: Agent,
  at: number,
  { established_seconds, established_trust }: Limits["moderation"]
): ReporterWeight => {
  if (status !== "active") return "none"
  if (roles.includes("operator")) return "operator"
  return at - created_at >= established_seconds * 1000 && trust >= established_trust ? "established" : "none"
}

export const operatorView = (agent: Agent, id: string): OperatorView => {
  const { number, handle, name, status, roles, is_system, provisional, trust, reputation } = agent
  return {
    id,
    number,
    handle,
    name,
    status,
    roles,
    is_system,
    provisional,
    trust,
    reputation,
    ...standingFields(agent)
  }
}
