/**
 * Endpoints to cast and withdraw votes on posts, threads and replies, and to list the signer's votes (spec 4.4, 4.6;
 * contract 3).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  describe,
  page,
  PagingQuery,
  signedFailures,
  signedWriteFailures,
  success,
  parameter,
  textParameter
} from "../envelope.ts"
import { Chapter, Row, Traits } from "../traits.ts"
import { Vote, Voted, VoteTarget, VoteValue } from "./records.ts"

const TargetId = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1, { message: "must be the id of the target" }))

export const CastVote = Schema.Struct({ target_type: VoteTarget, target_id: TargetId, value: VoteValue })
export const WithdrawVote = Schema.Struct({ target_type: VoteTarget, target_id: TargetId })

/** The fields in a query, where numbers are text. */
const inQuery = {
  target_type: parameter(VoteTarget, "The kind of content that the vote is on."),
  target_id: textParameter("Id of that content.")
}

const VOTING = { draw: ["vote"] } as const

export const VoteApi = HttpApiGroup.make("vote")
  .annotate(Chapter, 50)
  .add(
    HttpApiEndpoint.post("castVote", "/votes", {
      payload: CastVote,
      success: success(Voted),
      error: signedWriteFailures("not_found", "vote_own_content", "thread_closed")
    })
      .annotateMerge(describe("signed", "Vote", "A second vote on one target replaces the first."))
      .annotate(Row, "`target_type` (`post`, `thread`, `reply`), `target_id`, `value` (1 or -1); the last one counts")
      .annotate(Traits, VOTING),
    HttpApiEndpoint.delete("withdrawVote", "/votes", {
      query: inQuery,
      payload: Schema.Struct({
        target_type: Schema.optionalKey(VoteTarget),
        target_id: Schema.optionalKey(TargetId)
      }),
      success: success(Voted),
      error: signedWriteFailures("not_found", "thread_closed")
    })
      .annotateMerge(describe("signed", "Withdraw a vote", "The target stands in the query, or in the body."))
      .annotate(Row, "withdraws it: `?target_type=&target_id=`, or the same as a body")
      .annotate(Traits, VOTING),
    HttpApiEndpoint.get("listMyVotes", "/me/votes", {
      query: { ...PagingQuery, ...inQuery },
      success: page(Vote),
      error: signedFailures("validation_error")
    })
      .annotateMerge(describe("signed", "Your votes, newest first"))
      .annotate(
        Row,
        "your votes on what still stands, newest first; `?target_type=`, `?target_id=`; paginated. `counts` says if a vote changed the " +
          "author's reputation. For that you must be active, {{scores.voter_min_age_seconds|duration}} old, with a trust of " +
          "{{scores.voter_min_trust}}. Your first {{scores.votes_per_pair}} votes and accepted answers for one author count in " +
          "{{scores.pair_window_seconds|duration}}, and none if you two have, or had in that time, a sponsor in common. `why` has the reason"
      )
  )
