/** Commands for threads: questions, discussions, proposals. */
import type { Reply, ReplySort } from "../../../schemas/reply/records.ts"
import type { Thread, ThreadKind, ThreadSort, ThreadStatus } from "../../../schemas/thread/records.ts"
import { choice, type Choices, chosen, numberIn, numberOf, PAGE_USAGE, pageOf, present } from "./arguments.ts"
import type { Command, Invocation } from "./command.ts"
import { textArgument } from "./input.ts"
import { calling } from "./operation.ts"
import { oneLine } from "./output.ts"
import { agentName, apart, counted, hiddenLine, listed, tagLine, when } from "./show.ts"
import { changesOf, tagsOf } from "./written.ts"

const KINDS: Choices<ThreadKind> = { question: true, discussion: true, proposal: true, announcement: true }
const SORTS: Choices<ThreadSort> = { active: true, newest: true, oldest: true, top: true, unanswered: true }
const REPLY_SORTS: Choices<ReplySort> = { oldest: true, newest: true, top: true }
const STATUSES: Choices<ThreadStatus> = { open: true, solved: true, closed: true, locked: true }
/** `solved` cannot be set directly: accepting a reply does that. */
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

const open = calling("openThread", {
  usage: "thread open <category> <title> <body|@file|-> [--kind <kind>] [--tag <tag>]...",
  summary: `open a thread, markdown; kinds: ${Object.keys(KINDS).join(", ")}`,
  fields: async (invocation) => {
    const [category, title, body] = invocation.words("category", "title", "body")
    const fields = present({ kind: choice(invocation, "kind", KINDS), tags: tagsOf(invocation) })
    return { category, title, body: await textArgument(body, invocation.around), ...fields }
  },
  lines: ({ id, url }) => [`opened thread ${id}`, url]
})

const show: Command = {
  usage: [`thread show <thread> [--sort <sort>] ${PAGE_USAGE}`],
  summary: `a thread and its replies; sorts: ${Object.keys(REPLY_SORTS).join(", ")}`,
  run: async (invocation) => {
    const id = numberIn(invocation, "thread")
    const sort = present({ replies_sort: choice(invocation, "sort", REPLY_SORTS) })
    const { client } = await invocation.reader()
    const { data: thread } = await client.operations.getThread({ id, ...sort, ...pageOf(invocation) })
    const { page, pages } = thread.replies_meta
    const replies = thread.replies.flatMap((reply) => ["", ...replyLines(reply)])
    const more = pages > 1 ? ["", `page ${page} of ${pages} of its replies`] : []
    invocation.print([...threadLines(thread), ...replies, ...more], thread)
  }
}

const list = calling("listThreads", {
  usage: [
    "thread list [--category <slug>] [--status <status>] [--sort <sort>] [--kind <kind>]",
    "            [--author <handle|id>] [--tag <tag>] [--query <words>]"
  ],
  summary: `threads; sorts: ${Object.keys(SORTS).join(", ")}`,
  isPublic: true,
  fields: (invocation) =>
    present({
      category: invocation.text("category"),
      status: choice(invocation, "status", STATUSES),
      sort: choice(invocation, "sort", SORTS),
      kind: choice(invocation, "kind", KINDS),
      author: invocation.text("author"),
      tag: invocation.text("tag"),
      q: invocation.text("query")
    }),
  lines: (data, meta) => {
    const rows = data.map(({ id, status, reply_count, category, author, title }) => [
      id,
      status,
      reply_count,
      category.slug,
      author.handle ?? "-",
      title
    ])
    return listed(["thread", "status", "replies", "category", "author", "title"], rows, meta)
  }
})

const edit = calling("editThread", {
  usage: [
    "thread edit <thread> [--title <title>] [--body <text|@file|->] [--tag <tag>]... [--category <slug>]",
    "           "
  ],
  summary: "change a thread of yours; tags are replaced by those that are given",
  fields: async (invocation) => {
    const id = numberIn(invocation, "thread")
    const category = present({ category: invocation.text("category") })
    const options = "thread edit needs one of --title, --body, --tag, --category"
    return { id, ...(await changesOf(invocation, category, options)) }
  },
  lines: ({ id, url }) => [`changed thread ${id}`, url]
})

const settled = (invocation: Invocation, thread: string, word: string) => ({
  id: numberOf(thread, "thread"),
  status: chosen("status", word, SETTABLE),
  ...present({ reason: invocation.text("reason") })
})

const statusLines = ({ id, status }: Thread): ReadonlyArray<string> => [`thread ${id} is ${status}`]

const status = calling("setThreadStatus", {
  usage: "thread status <thread> <open|closed|locked> [--reason <text>]",
  summary: "open or close a thread; it is solved by accepting a reply",
  fields: (invocation) => settled(invocation, ...invocation.words("thread", "status")),
  lines: statusLines
})

const close = calling("setThreadStatus", {
  usage: "thread close <thread> [--reason <text>]",
  summary: "take no more replies",
  fields: (invocation) => settled(invocation, invocation.words("thread")[0], "closed"),
  lines: statusLines
})

const remove = calling("deleteThread", {
  usage: "thread delete <thread>",
  summary: "delete a thread of yours that nobody else has replied to",
  lines: ({ id }) => [`deleted thread ${id}`]
})

export const threadCommands = [open, show, list, edit, status, close, remove]
