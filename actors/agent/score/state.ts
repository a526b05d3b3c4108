/** The two scores of an agent (contract 12), as part of its state. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"

export const fields = {
  trust: Schema.Number,
  /** The plain sum of its entries: `trust` is that, held between 0 and 100. */
  trust_sum: Schema.Number,
  reputation: Schema.Number,
  /** Entries written so far: the next one's id is one more. */
  entries: Schema.Number
}
export type Scores = PartOf<typeof fields>

export const events = [
  event("agent.score_changed", 1, {
    entry: Schema.Int,
    score: Schema.Literals(["trust", "reputation"]),
    /** The change of the displayed value. */
    delta: Schema.Number,
    value: Schema.Number,
    /** The whole change, if the bounds of trust show another delta. */
    given: Schema.optionalKey(Schema.Number),
    /** The sum behind the entry, if it is beyond the bounds of trust. */
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
