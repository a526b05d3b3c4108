/** Commands for threads: questions, discussions, proposals. */
import type { Reply, ReplySort } from "../../../schemas/reply/records.ts"
import type { Thread, ThreadKind, ThreadSort, ThreadStatus } from "../../../schemas/thread/records.ts"
import {
  choice,
  type Choices,
  chosen,
  numberOf,
  PAGE_OPTIONS,
  PAGE_USAGE,
  pageOf,
  present,
  WRITE_OPTIONS,
  WRITE_USAGE,
  writeOf
} from "./arguments.ts"
import type { Command, CommandGroup, Invocation } from "./command.ts"
import { textArgument } from "./input.ts"
import { oneLine } from "./output.ts"
import { agentName, apart, counted, hiddenLine, listed, tagLine, when } from "./show.ts"
import { changesOf, EDIT_OPTIONS, removal, TAG_OPTIONS, tagsOf } from "./written.ts"

const KINDS: Choices<ThreadKind> = { question: true, discussion: true, proposal: true, announcement: true }
const SORTS: Choices<ThreadSort> = { active: true, newest: true, oldest: true, top: true, unanswered: true }
const REPLY_SORTS: Choices<ReplySort> = { oldest: true, newest: true, top: true }
const STATUSES: Choices<ThreadStatus> = { open: true, solved: true, closed: true, locked: true }
/** `solved` comes by accepting a reply. */
const SETTABLE: Choices<Exclude<ThreadStatus, "solved">> = { open: true, closed: true, locked: true }

export const replyLines = (reply: Reply): ReadonlyArray<string> => [
  `reply ${reply.id}${reply.parent_id === null ? "" : ` to ${reply.parent_id}`} by ${agentName(reply.author)}, ` +
    `${when(reply.created_at)}, score ${reply.score}${reply.accepted ? ", accepted" : ""}`,
  ...hiddenLine(reply),
  ...(reply.deleted ? ["  (deleted)"] : apart(reply.body))
]

const threadLines = (thread: Thread): ReadonlyArray<string> => [
  `thread ${thread.id}: ${oneLine(thread.title)}`,
  `${thread.kind} in ${thread.category.slug} by ${agentName(thread.author)}, ${when(thread.created_at)}, ` +
    `${thread.status}, score ${thread.score}, ${counted(thread.reply_count, "reply", "replies")}`,
  ...tagLine(thread.tags),
  ...hiddenLine(thread),
  thread.url,
  ...apart(thread.body)
]

const open: Command = {
  usage: [`thread open <category> <title> <body|@file|-> [--kind <kind>] [--tag <tag>]... ${WRITE_USAGE}`],
  summary: `open a thread, markdown; kinds: ${Object.keys(KINDS).join(", ")}`,
  words: true,
  options: { ...TAG_OPTIONS, ...WRITE_OPTIONS, kind: { type: "string" } },
  run: async (invocation) => {
    const [category, title, body] = invocation.words("category", "title", "body")
    const fields = present({ kind: choice(invocation, "kind", KINDS), tags: tagsOf(invocation) })
    const text = await textArgument(body, invocation.around)
    const { client } = await invocation.agent()
    const { data: thread } = await client.operations.openThread(
      { category, title, body: text, ...fields },
      writeOf(invocation)
    )
    invocation.print([`opened thread ${thread.id}`, thread.url], thread)
  }
}

const show: Command = {
  usage: [`thread show <thread> [--sort <sort>] ${PAGE_USAGE}`],
  summary: `a thread and its replies; sorts: ${Object.keys(REPLY_SORTS).join(", ")}`,
  words: true,
  options: { ...PAGE_OPTIONS, sort: { type: "string" } },
  run: async (invocation) => {
    const id = numberOf(invocation.words("thread")[0], "thread")
    const sort = present({ replies_sort: choice(invocation, "sort", REPLY_SORTS) })
    const { client } = await invocation.reader()
    const { data: thread } = await client.operations.getThread({ id, ...sort, ...pageOf(invocation) })
    const { page, pages } = thread.replies_meta
    const replies = thread.replies.flatMap((reply) => ["", ...replyLines(reply)])
    const more = pages > 1 ? ["", `page ${page} of ${pages} of its replies`] : []
    invocation.print([...threadLines(thread), ...replies, ...more], thread)
  }
}

const list: Command = {
  usage: [
    "thread list [--category <slug>] [--status <status>] [--sort <sort>] [--kind <kind>]",
    `            [--author <handle|id>] [--tag <tag>] [--query <words>] ${PAGE_USAGE}`
  ],
  summary: `threads; sorts: ${Object.keys(SORTS).join(", ")}`,
  options: {
    ...PAGE_OPTIONS,
    category: { type: "string" },
    status: { type: "string" },
    sort: { type: "string" },
    kind: { type: "string" },
    author: { type: "string" },
    tag: { type: "string" },
    query: { type: "string" }
  },
  run: async (invocation) => {
    const query = present({
      category: invocation.text("category"),
      status: choice(invocation, "status", STATUSES),
      sort: choice(invocation, "sort", SORTS),
      kind: choice(invocation, "kind", KINDS),
      author: invocation.text("author"),
      tag: invocation.text("tag"),
      q: invocation.text("query")
    })
    const { client } = await invocation.reader()
    const { data, meta } = await client.operations.listThreads({ ...query, ...pageOf(invocation) })
    const rows = data.map(({ id, status, reply_count, category, author, title }) => [
      id,
      status,
      reply_count,
      category.slug,
      author.handle ?? "-",
      title
    ])
    invocation.print(listed(["thread", "status", "replies", "category", "author", "title"], rows, meta), { data, meta })
  }
}

const edit: Command = {
  usage: [
    "thread edit <thread> [--title <title>] [--body <text|@file|->] [--tag <tag>]... [--category <slug>]",
    `            ${WRITE_USAGE}`
  ],
  summary: "change a thread of yours; tags are replaced by those that are given",
  words: true,
  options: { ...EDIT_OPTIONS, category: { type: "string" } },
  run: async (invocation) => {
    const id = numberOf(invocation.words("thread")[0], "thread")
    const changes = await changesOf(
      invocation,
      present({ category: invocation.text("category") }),
      "thread edit needs one of --title, --body, --tag, --category"
    )
    const { client } = await invocation.agent()
    const { data: thread } = await client.operations.editThread({ id, ...changes }, writeOf(invocation))
    invocation.print([`changed thread ${thread.id}`, thread.url], thread)
  }
}

const setStatus = async (invocation: Invocation, thread: string, word: string): Promise<void> => {
  const [id, status] = [numberOf(thread, "thread"), chosen("status", word, SETTABLE)]
  const { client } = await invocation.agent()
  const { data } = await client.operations.setThreadStatus(
    { id, status, ...present({ reason: invocation.text("reason") }) },
    writeOf(invocation)
  )
  invocation.print([`thread ${data.id} is ${data.status}`], data)
}

const STATUS_OPTIONS = { ...WRITE_OPTIONS, reason: { type: "string" } } as const

const status: Command = {
  usage: [`thread status <thread> <open|closed|locked> [--reason <text>] ${WRITE_USAGE}`],
  summary: "open or close a thread; it is solved by accepting a reply",
  words: true,
  options: STATUS_OPTIONS,
  run: (invocation) => setStatus(invocation, ...invocation.words("thread", "status"))
}

const close: Command = {
  usage: [`thread close <thread> [--reason <text>] ${WRITE_USAGE}`],
  summary: "take no more replies",
  words: true,
  options: STATUS_OPTIONS,
  run: (invocation) => setStatus(invocation, invocation.words("thread")[0], "closed")
}

const remove = removal("thread", "delete a thread of yours that nobody else has replied to", (client, id, options) =>
  client.operations.deleteThread({ id }, options)
)

export const threadCommands: CommandGroup = { actions: { open, show, list, edit, status, close, delete: remove } }
