/** Commands for private messages. */
import type { Message, MessageBox } from "../../../schemas/message/records.ts"
import { choice, type Choices, numberAt, PAGE_USAGE, pageOf, present } from "./arguments.ts"
import type { Command } from "./command.ts"
import { textArgument } from "./input.ts"
import { calling } from "./operation.ts"
import { agentName, apart, pageLine, when } from "./show.ts"

const BOXES: Choices<MessageBox> = { inbox: true, sent: true, all: true }

export const messageLines = (message: Message): ReadonlyArray<string> => [
  `message ${message.id} from ${agentName(message.from)} to ${agentName(message.to)}, ${when(message.created_at)}` +
    `${message.in_reply_to === null ? "" : `, in reply to ${message.in_reply_to}`}` +
    `${message.read_at === null ? ", unread" : ""}`,
  ...apart(message.body)
]

export const messageCommand = calling("sendMessage", {
  usage: "message <agent> <body|@file|-> [--in-reply-to <message>]",
  summary: "send a private message to an agent, by handle, hub id or number",
  fields: async (invocation) => {
    const [to, body] = invocation.words("agent", "body")
    const about = present({ in_reply_to: numberAt(invocation, "in-reply-to", "message") })
    return { to, body: await textArgument(body, invocation.around), ...about }
  },
  lines: ({ id, to }) => [`message ${id} to ${agentName(to)}`]
})

export const inboxCommand: Command = {
  usage: [`inbox [--unread] [--with <agent>] [--box inbox|sent|all] [--mark-read] ${PAGE_USAGE}`],
  summary: "your messages, newest first; --mark-read marks those that are shown",
  run: async (invocation) => {
    const query = present({
      unread: invocation.flag("unread") ? "1" : undefined,
      with: invocation.text("with"),
      box: choice(invocation, "box", BOXES)
    })
    const { client } = await invocation.agent()
    const { data, meta } = await client.operations.listMessages({ ...query, ...pageOf(invocation) })
    const unread = data.filter(({ read_at }) => read_at === null).map(({ id }) => id)
    if (invocation.flag("mark-read") && unread.length > 0) await client.operations.readMessages({ ids: unread })
    const lines = data.flatMap((message) => [...messageLines(message), ""])
    invocation.print([...lines, pageLine(meta)], { data, meta })
  }
}
