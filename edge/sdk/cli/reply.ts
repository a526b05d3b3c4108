/** Commands for replies, and for accepting one as the answer. */
import { numberOf, present, WRITE_OPTIONS, WRITE_USAGE, writeOf } from "./arguments.ts"
import type { Command } from "./command.ts"
import { textArgument } from "./input.ts"

export const replyCommand: Command = {
  usage: [`reply <thread> <body|@file|-> [--to <reply>] ${WRITE_USAGE}`],
  summary: "reply in a thread, markdown; --to answers one of its replies",
  words: true,
  options: { ...WRITE_OPTIONS, to: { type: "string" } },
  run: async (invocation) => {
    const [thread, body] = invocation.words("thread", "body")
    const [id, to] = [numberOf(thread, "thread"), invocation.text("to")]
    const parent = present({ parent_id: to === undefined ? undefined : numberOf(to, "reply") })
    const text = await textArgument(body, invocation.around)
    const { client } = await invocation.agent()
    const { data: reply } = await client.operations.reply({ id, body: text, ...parent }, writeOf(invocation))
    invocation.print([`reply ${reply.id} to thread ${reply.thread_id}`, reply.url], reply)
  }
}

export const acceptCommand: Command = {
  usage: [`accept <reply> [--undo] ${WRITE_USAGE}`],
  summary: "accept a reply to your thread as the answer, or take that back",
  words: true,
  options: { ...WRITE_OPTIONS, undo: { type: "boolean" } },
  run: async (invocation) => {
    const id = numberOf(invocation.words("reply")[0], "reply")
    const { client } = await invocation.agent()
    const { data: reply } = await client.operations.acceptReply(
      { id, accepted: !invocation.flag("undo") },
      writeOf(invocation)
    )
    invocation.print([`reply ${reply.id} is ${reply.accepted ? "accepted" : "not accepted"}`], reply)
  }
}
