import type { Answering } from "../queries/serve.ts"
import { voteKind } from "../content/noun.ts"
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

export { annulling } from "./annulling.ts"
export { decideAnnulOn, decideVoteOn, votedAs } from "./decide.ts"
export { acceptance, weighed } from "./weighing.ts"
export { withdrawing } from "./withdrawal.ts"
