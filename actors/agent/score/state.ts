/** The two scores of an agent (contract 12), as part of its state. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"

export const fields = {
  trust: Schema.Number,
  /** The unlimited sum of the entries of trust. `trust` is this sum, limited to 0 to 100. */
  trust_sum: Schema.Number,
  reputation: Schema.Number,
  /** The number of entries so far. The id of the next entry is one more. */
  entries: Schema.Number
}
export type Scores = PartOf<typeof fields>

export const events = [
  event("agent.score_changed", 1, {
    entry: Schema.Int,
    score: Schema.Literals(["trust", "reputation"]),
    /** The change of the shown value. */
    delta: Schema.Number,
    value: Schema.Number,
    /** The change before trust was limited to its bounds; absent if it equals `delta`. */
    given: Schema.optionalKey(Schema.Number),
    /** The sum of all entries up to this one; absent if it equals `value`. */
    sum: Schema.optionalKey(Schema.Number),
    reason: Schema.String,
    target_type: Schema.NullOr(Schema.String),
    target_id: Schema.NullOr(Schema.String)
  })
] as const
export type ScoreEntry = (typeof events)[number]["Type"]

export const begun = (): Scores => ({ trust: 0, trust_sum: 0, reputation: 0, entries: 0 })

export const evolve: Cases<Scores, ScoreEntry> = {
  "agent.score_changed": (_scores, { score, entry, value, sum = value }) =>
    score === "trust" ? { entries: entry, trust: value, trust_sum: sum } : { entries: entry, reputation: value }
}
