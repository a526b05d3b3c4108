import { postVoting, ratingOperations, replyVoting, threadVoting, withdrawalOperations } from "./operations.ts"

export { VoteApi as api } from "./api.ts"
export { voteQueries as queries } from "./operations.ts"

export const operations = {
  ...postVoting,
  ...threadVoting,
  ...replyVoting,
  ...ratingOperations,
  ...withdrawalOperations
}
