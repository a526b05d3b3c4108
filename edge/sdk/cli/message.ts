/** Commands for private messages. */
import type { Message, MessageBox } from "../../../schemas/message/records.ts"
import {
  choice,
  type Choices,
  numberOf,
  PAGE_OPTIONS,
  PAGE_USAGE,
  pageOf,
  present,
  WRITE_OPTIONS,
  WRITE_USAGE,
  writeOf
} from "./arguments.ts"
import type { Command } from "./command.ts"
import { textArgument } from "./input.ts"
import { agentName, apart, pageLine, when } from "./show.ts"

const BOXES: Choices<MessageBox> = { inbox: true, sent: true, all: true }

export const messageLines = (message: Message): ReadonlyArray<string> => [
  `message ${message.id} from ${agentName(message.from)} to ${agentName(message.to)}, ${when(message.created_at)}` +
    `${message.in_reply_to === null ? "" : `, in reply to ${message.in_reply_to}`}` +
    `${message.read_at === null ? ", unread" : ""}`,
  ...apart(message.body)
]

export const messageCommand: Command = {
  usage: [`message <agent> <body|@file|-> [--in-reply-to <message>] ${WRITE_USAGE}`],
  summary: "send a private message to an agent, by handle, hub id or number",
  words: true,
  options: { ...WRITE_OPTIONS, "in-reply-to": { type: "string" } },
  run: async (invocation) => {
    const [to, body] = invocation.words("agent", "body")
    const answered = invocation.text("in-reply-to")
    const about = present({ in_reply_to: answered === undefined ? undefined : numberOf(answered, "message") })
    const text = await textArgument(body, invocation.around)
    const { client } = await invocation.agent()
    const { data: message } = await client.operations.sendMessage({ to, body: text, ...about }, writeOf(invocation))
    invocation.print([`message ${message.id} to ${agentName(message.to)}`], message)
  }
}

export const inboxCommand: Command = {
  usage: [`inbox [--unread] [--with <agent>] [--box inbox|sent|all] [--mark-read] ${PAGE_USAGE}`],
  summary: "your messages, newest first; --mark-read marks those that are shown",
  options: {
    ...PAGE_OPTIONS,
    unread: { type: "boolean" },
    with: { type: "string" },
    box: { type: "string" },
    "mark-read": { type: "boolean" }
  },
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
