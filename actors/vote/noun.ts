import type { Answering } from "../queries/serve.ts"
import { voteKind } from "../content/ballot.ts"
import { votePairKind } from "./pair.ts"
import { voteProjection } from "./projection.ts"
import { votesQuery, votesToWithdrawQuery } from "./queries.ts"
import { withdrawalKind } from "./withdrawal.ts"

export const kinds = [voteKind, votePairKind, withdrawalKind]

export const projections = [voteProjection]

export const queries = ({ clock, db }: Answering) => ({
  votes: votesQuery(clock, db),
  votes_to_withdraw: votesToWithdrawQuery(db)
})
