/** Selects the viewer's vote on a row; `null` without a viewer. */
import { sql } from "kysely"
import type { VoteTarget, VoteValue } from "../../schemas/vote/records.ts"

/** `row`: the alias of the target's table. */
export const myVote = (row: string, target: VoteTarget, viewer: string | null) =>
  (viewer === null ? NONE : votedBy(viewer, target, row)).as("my_vote")

const NONE = sql<VoteValue | null>`null::integer`

const votedBy = (viewer: string, target: VoteTarget, row: string) => sql<VoteValue | null>`(
  select v.value from votes v
  where v.voter = ${viewer} and v.target_type = ${target} and v.target_id = ${sql.ref(`${row}.id`)} and v.value <> 0)`
