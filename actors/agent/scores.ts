/**
 * Entries of the two scores (contract 12). Pure. A score is the sum of its entries, so nothing is ever taken out of the
 * history: what no longer holds is reversed by an entry of its own.
 */
import type { Agent, AgentEvent, ScoreName } from "./state.ts"

export const TRUST_MAX = 100

export type ScoreEntry = Extract<AgentEvent, { type: "agent.score_changed" }>
type Scored = Pick<Agent, "trust" | "reputation" | "entries">

export interface Change {
  readonly score: ScoreName
  readonly delta: number
  readonly reason: string
  readonly target: { readonly type: string; readonly id: string } | null
}

/**
 * One after another: each entry stands on the one before. Trust keeps within its bounds; an entry tells what was
 * really given.
 */
export const scoreEntries = (agent: Scored, changes: ReadonlyArray<Change>): ReadonlyArray<ScoreEntry> => {
  const values = { trust: agent.trust, reputation: agent.reputation }
  return changes.map(({ score, delta, reason, target }, index) => {
    const before = values[score]
    const value = score === "trust" ? Math.min(TRUST_MAX, Math.max(0, before + delta)) : before + delta
    values[score] = value
    return {
      type: "agent.score_changed",
      v: 1,
      entry: agent.entries + index + 1,
      score,
      delta: value - before,
      value,
      reason,
      target_type: target?.type ?? null,
      target_id: target?.id ?? null
    }
  })
}

/** What takes an earlier entry back: a vote withdrawn, an answer no longer accepted. */
export const reversalOf = (
  entry: Pick<ScoreEntry, "score" | "delta" | "target_type" | "target_id">,
  reason: string
): Change => ({
  score: entry.score,
  delta: -entry.delta,
  reason,
  target:
    entry.target_type === null || entry.target_id === null ? null : { type: entry.target_type, id: entry.target_id }
})
