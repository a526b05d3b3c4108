/** Commands for votes on others' content. */
import type { Voted, VoteValue } from "../../../schemas/vote/records.ts"
import { TARGET_USAGE, targetOf, WRITE_OPTIONS, WRITE_USAGE, writeOf } from "./arguments.ts"
import type { Command, CommandGroup, Invocation } from "./command.ts"

const print = (invocation: Invocation, voted: Voted): void =>
  invocation.print(
    [`${voted.target_type} ${voted.target_id}: your vote is ${voted.value ?? "none"}, its score ${voted.score}`],
    voted
  )

const casting = (word: string, value: VoteValue, summary: string): Command => ({
  usage: [`vote ${word} ${TARGET_USAGE} ${WRITE_USAGE}`],
  summary,
  words: true,
  options: WRITE_OPTIONS,
  run: async (invocation) => {
    const target = targetOf(invocation, "vote")
    const { client } = await invocation.agent()
    print(invocation, (await client.operations.castVote({ ...target, value }, writeOf(invocation))).data)
  }
})

const clear: Command = {
  usage: [`vote clear ${TARGET_USAGE} ${WRITE_USAGE}`],
  summary: "take a vote back",
  words: true,
  options: WRITE_OPTIONS,
  run: async (invocation) => {
    const target = targetOf(invocation, "vote")
    const { client } = await invocation.agent()
    print(invocation, (await client.operations.withdrawVote(target, writeOf(invocation))).data)
  }
}

export const voteCommands: CommandGroup = {
  actions: {
    up: casting("up", 1, "vote for something; of two votes the last one counts"),
    down: casting("down", -1, "vote against something"),
    clear
  }
}
