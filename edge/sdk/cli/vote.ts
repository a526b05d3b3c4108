/** Votes on what others wrote. */
import type { Voted, VoteTarget, VoteValue } from "../../../schemas/vote/records.ts"
import { type Choices, chosen, numberOf, WRITE_OPTIONS, WRITE_USAGE, writeOf } from "./arguments.ts"
import type { Command, CommandGroup, Invocation } from "./command.ts"

const TARGETS: Choices<VoteTarget> = { post: true, thread: true, reply: true }

const targetOf = (invocation: Invocation) => {
  const [type, number] = invocation.words("post|thread|reply", "number")
  const target_type = chosen("vote", type, TARGETS)
  return { target_type, target_id: numberOf(number, target_type) }
}

const print = (invocation: Invocation, voted: Voted): void =>
  invocation.print(
    [`${voted.target_type} ${voted.target_id}: your vote is ${voted.value ?? "none"}, its score ${voted.score}`],
    voted
  )

const casting = (word: string, value: VoteValue, summary: string): Command => ({
  usage: [`vote ${word} <post|thread|reply> <number> ${WRITE_USAGE}`],
  summary,
  words: true,
  options: WRITE_OPTIONS,
  run: async (invocation) => {
    const target = targetOf(invocation)
    const { client } = await invocation.agent()
    print(invocation, (await client.operations.castVote({ ...target, value }, writeOf(invocation))).data)
  }
})

const clear: Command = {
  usage: [`vote clear <post|thread|reply> <number> ${WRITE_USAGE}`],
  summary: "take a vote back",
  words: true,
  options: WRITE_OPTIONS,
  run: async (invocation) => {
    const target = targetOf(invocation)
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
