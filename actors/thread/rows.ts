/**
 * Folds a batch of the log of threads and replies into rows. New rows have their state at the batch's end; earlier ones
 * have their changes. Pure.
 */
import { foldHiding, type HiddenRows, noHiddenRows } from "../content/noun.ts"
import { eventsOf } from "../engine/events.ts"
import type { Logged } from "../projections/projection.ts"
import { ReplyEvent } from "../reply/noun.ts"
import { ThreadEvent } from "./state.ts"

/** A row of `threads`, or the changed part of one. Absent columns stay as they are. */
interface ThreadRow {
  readonly id: number
  author?: string
  category?: string
  kind?: string
  title?: string
  body?: string
  tags?: ReadonlyArray<string>
  status?: string
  /** The reason of a status that was set, for closed or locked threads. */
  status_reason?: string | null
  /** True if `status_reason` changes, even to none. */
  reasoned?: boolean
  /** True if the accepted reply was withdrawn and this batch has no status: `solved` becomes `open` in the table. */
  unsolved?: boolean
  accepted_reply_id?: number | null
  /** True if `accepted_reply_id` changes, even to none. */
  judged?: boolean
  created_at?: string
  updated_at?: string
  edited_at?: string
  pinned?: boolean
}

interface ReplyRow {
  readonly id: number
  thread?: number
  parent?: number | null
  author?: string
  body?: string
  deleted?: boolean
  created_at?: string
  edited_at?: string
}

interface Voted {
  readonly id: number
  readonly upvotes: number
  readonly downvotes: number
}

interface CountChange {
  readonly id: number
  more: number
  last_activity_at: string | null
}

export interface ThreadRows {
  readonly opened: Map<number, ThreadRow>
  readonly changed: Map<number, ThreadRow>
  readonly voted: Map<number, Voted>
  readonly deleted: Set<number>
  readonly hiding: HiddenRows
}

export interface ReplyRows {
  readonly written: Map<number, ReplyRow>
  readonly changed: Map<number, ReplyRow>
  readonly voted: Map<number, Voted>
  readonly counted: Map<number, CountChange>
  readonly hiding: HiddenRows
  /** Ids of deleted replies. Their rows stay without a text; their entries in `hidden_replies` are removed. */
  readonly deleted: Set<number>
}

export interface Rows {
  readonly threads: ThreadRows
  readonly replies: ReplyRows
}

/** `commits`: in the order of the log. */
export const rowsOf = (commits: ReadonlyArray<Logged>): Rows => {
  const threads: ThreadRows = {
    opened: new Map(),
    changed: new Map(),
    voted: new Map(),
    deleted: new Set(),
    hiding: noHiddenRows()
  }
  const replies: ReplyRows = {
    written: new Map(),
    changed: new Map(),
    voted: new Map(),
    counted: new Map(),
    hiding: noHiddenRows(),
    deleted: new Set()
  }
  for (const { kind, id: text, commit } of commits) {
    const id = Number(text)
    const at = new Date(commit.at).toISOString()
    if (kind === "thread") for (const event of eventsOf(ThreadEvent, commit)) foldThread(threads, id, event, at)
    else for (const event of eventsOf(ReplyEvent, commit)) foldReply(replies, id, event, at)
  }
  return { threads, replies }
}

const foldThread = (rows: ThreadRows, id: number, event: ThreadEvent, at: string): void => {
  switch (event.type) {
    case "thread.opened": {
      const { author, category, kind, title, body, tags } = event
      const texts = { title, body, tags }
      rows.opened.set(id, { id, author, category, kind, ...texts, status: "open", created_at: at, updated_at: at })
      return
    }
    case "thread.voted":
      rows.voted.set(id, { id, upvotes: event.upvotes, downvotes: event.downvotes })
      return
    case "thread.deleted":
      rows.deleted.add(id)
      return
    case "thread.hidden":
    case "thread.restored":
      foldHiding(rows.hiding, id, event)
      return
    case "thread.replied":
    case "thread.reply_gone":
    case "thread.reply_back":
      return
    case "thread.pinned":
      Object.assign(threadIn(rows, id), { pinned: event.pinned })
      return
    default: {
      const row = threadIn(rows, id)
      change(row, event)
      row.updated_at = at
      if (event.type === "thread.edited" && isRewritten(event)) row.edited_at = at
    }
  }
}

const threadIn = ({ opened, changed }: ThreadRows, id: number): ThreadRow => {
  const row = opened.get(id) ?? changed.get(id) ?? { id }
  if (!opened.has(id)) changed.set(id, row)
  return row
}

type Edited = Extract<ThreadEvent, { type: "thread.edited" }>
type Changing = Extract<
  ThreadEvent,
  { type: "thread.edited" | "thread.status_changed" | "thread.accepted" | "thread.unaccepted" }
>

const isRewritten = ({ title, body, tags }: Edited): boolean =>
  title !== undefined || body !== undefined || tags !== undefined

const change = (row: ThreadRow, event: Changing): void => {
  switch (event.type) {
    case "thread.edited": {
      const { title, body, tags, category } = event
      if (title !== undefined) row.title = title
      if (body !== undefined) row.body = body
      if (tags !== undefined) row.tags = tags
      if (category !== undefined) row.category = category
      return
    }
    case "thread.status_changed":
      Object.assign(row, { status: event.status, unsolved: false, status_reason: event.reason, reasoned: true })
      return
    case "thread.accepted":
      Object.assign(row, { status: event.status, unsolved: false, accepted_reply_id: event.reply, judged: true })
      return
    case "thread.unaccepted":
      Object.assign(row, { accepted_reply_id: null, judged: true })
      if (row.status === undefined) row.unsolved = true
      else if (row.status === "solved") row.status = "open"
  }
}

const foldReply = (rows: ReplyRows, id: number, event: ReplyEvent, at: string): void => {
  switch (event.type) {
    case "reply.written": {
      const { thread, parent, author, body } = event
      const of = { thread, parent: parent === null ? null : parent.reply }
      rows.written.set(id, { id, ...of, author, body, deleted: false, created_at: at })
      count(rows, thread, 1, at)
      return
    }
    case "reply.voted":
      rows.voted.set(id, { id, upvotes: event.upvotes, downvotes: event.downvotes })
      return
    case "reply.edited":
      Object.assign(replyIn(rows, id), { body: event.body, edited_at: at })
      return
    case "reply.deleted":
      // The row stays, because other replies may answer it.
      Object.assign(replyIn(rows, id), { deleted: true, body: "" })
      rows.deleted.add(id)
      if (!event.hidden) count(rows, event.thread, -1, null)
      return
    case "reply.hidden":
    case "reply.restored":
      foldHiding(rows.hiding, id, event)
      count(rows, event.thread, event.type === "reply.hidden" ? -1 : 1, null)
  }
}

const replyIn = ({ written, changed }: ReplyRows, id: number): ReplyRow => {
  const row = written.get(id) ?? changed.get(id) ?? { id }
  if (!written.has(id)) changed.set(id, row)
  return row
}

const count = ({ counted }: ReplyRows, thread: number, more: number, at: string | null): void => {
  const so = counted.get(thread) ?? { id: thread, more: 0, last_activity_at: null }
  counted.set(thread, so)
  so.more += more
  // ISO 8601 texts of equal length: the later time is the greater text.
  if (at !== null && (so.last_activity_at === null || at > so.last_activity_at)) so.last_activity_at = at
}
