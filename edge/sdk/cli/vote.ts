/** Commands for votes on others' content. */
import type { Voted, VoteValue } from "../../../schemas/vote/records.ts"
import { TARGET_USAGE, targetOf } from "./arguments.ts"
import { calling } from "./operation.ts"

const lines = ({ target_type, target_id, value, score }: Voted): ReadonlyArray<string> => [
  `${target_type} ${target_id}: your vote is ${value ?? "none"}, its score ${score}`
]

const casting = (word: string, value: VoteValue, summary: string) =>
  calling("castVote", {
    usage: `vote ${word} ${TARGET_USAGE}`,
    summary,
    fields: (invocation) => ({ ...targetOf(invocation, "vote"), value }),
    lines
  })

export const voteCommands = [
  casting("up", 1, "vote for something; of two votes the last one counts"),
  casting("down", -1, "vote against something"),
  calling("withdrawVote", {
    usage: `vote clear ${TARGET_USAGE}`,
    summary: "take a vote back",
    fields: (invocation) => targetOf(invocation, "vote"),
    lines
  })
]
