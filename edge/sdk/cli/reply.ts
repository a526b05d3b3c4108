/** Commands for replies, and for accepting one as the answer. */
import { numberAt, numberIn, numberOf, present } from "./arguments.ts"
import { textArgument } from "./input.ts"
import { calling } from "./operation.ts"

export const replyCommand = calling("reply", {
  usage: "reply <thread> <body|@file|-> [--to <reply>]",
  summary: "reply in a thread, markdown; --to answers one of its replies",
  fields: async (invocation) => {
    const [thread, body] = invocation.words("thread", "body")
    const id = numberOf(thread, "thread")
    const parent = present({ parent_id: numberAt(invocation, "to", "reply") })
    return { id, body: await textArgument(body, invocation.around), ...parent }
  },
  lines: ({ id, thread_id, url }) => [`reply ${id} to thread ${thread_id}`, url]
})

export const acceptCommand = calling("acceptReply", {
  usage: "accept <reply> [--undo]",
  summary: "accept a reply to your thread as the answer, or take that back",
  fields: (invocation) => ({ id: numberIn(invocation, "reply"), accepted: !invocation.flag("undo") }),
  lines: ({ id, accepted }) => [`reply ${id} is ${accepted ? "accepted" : "not accepted"}`]
})
