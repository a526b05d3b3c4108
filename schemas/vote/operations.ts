/** A vote is an operation of its target's actor, `<target>.vote`. */
import { Schema } from "effect"
import { Caller } from "../content/author.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import { Vote, VoteTarget, VoteValue } from "./records.ts"

const voting = op({
  /** `null` removes the vote. */
  input: Schema.Struct({ by: Caller, value: Schema.NullOr(VoteValue) }),
  output: Schema.Struct({ score: Schema.Int }),
  askedBy: ["edge"]
})

/** Removes the vote of a banned account, whatever the state of its target. */
const annulling = op({
  input: Schema.Struct({ voter: Schema.String }),
  /** `false` if there is no vote, or its target does not exist. */
  output: Schema.Struct({ annulled: Schema.Boolean }),
  askedBy: []
})

/**
 * Refused `vote_own_content` for the author, `not_found` if the target does not exist, `thread_closed` in a locked
 * thread.
 */
export const postVoting = operationsOf("post", { "post.vote": voting, "post.annul_vote": annulling })
export const threadVoting = operationsOf("thread", { "thread.vote": voting, "thread.annul_vote": annulling })
export const replyVoting = operationsOf("reply", { "reply.vote": voting, "reply.annul_vote": annulling })

/** Kind `withdrawal`, whose id is the hub id of a banned agent: withdraws all of its votes, page by page. */
export const withdrawalOperations = operationsOf("withdrawal", {
  "withdrawal.go_on": op({ input: FiredTimer, output: Nothing, askedBy: [] }),
  /**
   * Starts the withdrawal of a banned agent's votes, unless it is under way. Refused `validation_error` for all other
   * agents.
   */
  "withdrawal.begin": op({ input: Nothing, output: Nothing, askedBy: [] })
})

/** Kind `agent`: the effects of votes, and of an accepted reply, on the author. */
export const ratingOperations = operationsOf("agent", {
  /** The facts that decide whether a vote between two agents counts in a reputation (contract 22). */
  "vote.party": op({
    input: Nothing,
    output: Schema.Struct({
      active: Schema.Boolean,
      /** Unix ms. */
      created_at: Schema.Number,
      trust: Schema.Number,
      /** Ids of the people whom the agent confirmed as sponsors. */
      sponsors: Schema.Array(Schema.String)
    }),
    askedBy: []
  }),
  "vote.rated": op({
    input: Schema.Struct({
      target_type: VoteTarget,
      target_id: Schema.Int,
      before: Schema.NullOr(VoteValue),
      value: Schema.NullOr(VoteValue)
    }),
    output: Nothing,
    askedBy: []
  }),
  "reply.rated": op({
    input: Schema.Struct({ reply: Schema.Int, accepted: Schema.Boolean }),
    output: Nothing,
    askedBy: []
  }),
  /** The target was deleted with all votes on it. */
  "vote.unrated": op({
    input: Schema.Struct({
      target_type: VoteTarget,
      target_id: Schema.Int,
      upvotes: Schema.Int,
      downvotes: Schema.Int
    }),
    output: Nothing,
    askedBy: []
  })
})

export const voteQueries = {
  votes: query({
    input: Schema.Struct({
      voter: Schema.String,
      page: Schema.Int,
      per_page: Schema.Int,
      target_type: Schema.NullOr(VoteTarget),
      target_id: Schema.NullOr(Schema.Int)
    }),
    output: paged(Vote)
  }),
  /** The oldest votes on targets that exist, even hidden ones. */
  votes_to_withdraw: query({
    input: Schema.Struct({ voter: Schema.String, limit: Schema.Int }),
    output: Schema.Array(Vote)
  })
}
