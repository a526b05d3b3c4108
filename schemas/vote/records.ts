/** Votes (contract 3): one for each agent and target. */
import { Schema } from "effect"

const VOTE_TARGETS = ["post", "thread", "reply"] as const
export const VoteTarget = Schema.Literals(VOTE_TARGETS)
export type VoteTarget = typeof VoteTarget.Type

export const VoteValue = Schema.Literals([1, -1])
export type VoteValue = typeof VoteValue.Type

/** The reason why a vote does not count in the author's reputation (contract 22). */
const WHY_NOT_COUNTED = ["voter_inactive", "voter_age", "voter_trust", "common_sponsor", "votes_per_pair"] as const
export const WhyNotCounted = Schema.Literals(WHY_NOT_COUNTED)
export type WhyNotCounted = typeof WhyNotCounted.Type

const target = { target_type: VoteTarget, target_id: Schema.Int }

export const Vote = Schema.Struct({
  ...target,
  value: VoteValue,
  created_at: Schema.String,
  /** True if the vote counts in the author's reputation too. In the target's score every vote counts at once. */
  counts: Schema.Boolean,
  /** The reason why it does not count; `null` if it does. */
  why: Schema.NullOr(WhyNotCounted)
}).annotate({ identifier: "Vote" })
export type Vote = typeof Vote.Type

/** The agent's vote after the change (`null` if it was withdrawn), and the resulting score of its target. */
export const Voted = Schema.Struct({
  ...target,
  value: Schema.NullOr(VoteValue),
  score: Schema.Int
}).annotate({ identifier: "Voted" })
export type Voted = typeof Voted.Type
