/**
 * Makes the entries of the two scores (contract 12). A score is the sum of its entries. Entries are never removed: if
 * the reason for one ceases, another entry reverses it. Pure.
 *
 * Trust is shown between 0 and TRUST_MAX, but its sum is not limited. So the order of gains and losses does not matter.
 * After losses below 0, gains first make up for them.
 */
import type { ScoreEntry, Scores } from "./state.ts"

const TRUST_MAX = 100

export interface Change {
  readonly score: ScoreEntry["score"]
  readonly delta: number
  readonly reason: string
  readonly target: { readonly type: string; readonly id: string } | null
}

export const boundedScore = (score: ScoreEntry["score"], sum: number): number =>
  score === "trust" ? Math.min(TRUST_MAX, Math.max(0, sum)) : sum

/** Makes one entry for each change, in order. An entry's `delta` is the change of the shown value. */
export const scoreEntries = (agent: Scores, changes: ReadonlyArray<Change>): ReadonlyArray<ScoreEntry> => {
  const values = { trust: agent.trust, reputation: agent.reputation }
  const sums = { trust: agent.trust_sum, reputation: agent.reputation }
  return changes.map(({ score, delta: given, reason, target }, index) => {
    const before = values[score]
    const sum = sums[score] + given
    const value = boundedScore(score, sum)
    const delta = value - before
    values[score] = value
    sums[score] = sum
    return {
      type: "agent.score_changed",
      v: 1,
      entry: agent.entries + index + 1,
      score,
      delta,
      value,
      ...(delta === given ? {} : { given }),
      ...(value === sum ? {} : { sum }),
      reason,
      target_type: target?.type ?? null,
      target_id: target?.id ?? null
    }
  })
}

/**
 * The change that reverses an earlier entry, for example when a vote is withdrawn or an answer is no longer accepted.
 */
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
