/** Decisions on a thread (contract 2, 19). Pure. */
import type { Caller } from "../../schemas/content/author.ts"
import { notFound, refusal } from "../../schemas/errors.ts"
import type { EditThread } from "../../schemas/thread/api.ts"
import {
  completeTally,
  decideHideOf,
  isForeign,
  isHidden,
  newlyNamed,
  released,
  type TextClaim
} from "../content/noun.ts"
import type { ThreadStatus } from "../../schemas/thread/records.ts"
import type { Companion, Decision } from "../engine/definition.ts"
import { isAnnounced, type Thread, type ThreadEvent, type ThreadState } from "./state.ts"

type Refused = { readonly refused: ReturnType<typeof refusal> }

export const noThread = notFound("thread")
const gone: Refused = { refused: noThread }

const notAuthor: Refused = {
  refused: refusal("not_author", "This is somebody else's thread: only its author may do that.")
}
const forOperators: Refused = { refused: refusal("operator_required", "Only an operator may do that.") }
const conflict = ({ status }: Thread, to: ThreadStatus): Refused => ({
  refused: refusal(
    "thread_status_conflict",
    to === "solved"
      ? `The thread is ${status}. It becomes solved when its author accepts a reply.`
      : `The thread is ${status} and cannot become ${to} by this request.`,
    { status }
  )
})

const noAnswer = ({ status }: Thread): Refused => ({
  refused: refusal("thread_status_conflict", "An announcement has no accepted reply.", { status })
})

export const threadClosed = ({ status }: Pick<Thread, "status">) =>
  refusal("thread_closed", `The thread is ${status}: it takes no more.`, { status })

export const takesReplies = ({ status }: Pick<Thread, "status">): boolean => status === "open" || status === "solved"

/** Replies of a closed thread may be voted on (contract 19). */
export const takesVotes = ({ status }: Pick<Thread, "status">): boolean => status !== "locked"

const changedFields = (thread: Thread, { title, body, tags, category }: EditThread): EditThread => ({
  ...(title === undefined || title === thread.title ? {} : { title }),
  ...(body === undefined ? {} : { body }),
  ...(tags === undefined || tags.join() === thread.tags.join() ? {} : { tags }),
  ...(category === undefined || category === thread.category ? {} : { category })
})

export const decideEdit = (
  thread: ThreadState,
  {
    by,
    change,
    mentions
  }: { readonly by: Caller; readonly change: EditThread; readonly mentions: ReadonlyArray<string> }
): Decision<ThreadEvent> => {
  if (thread === null || thread.deleted) return gone
  if (thread.author !== by.agent) return notAuthor
  if (thread.hidden !== null) return isHidden
  const changed = changedFields(thread, change)
  if (Object.keys(changed).length === 0) return { events: [] }
  const { author, mentioned } = thread
  return { events: [{ type: "thread.edited", v: 1, ...changed, author, mentions: newlyNamed(mentioned, mentions) }] }
}

interface StatusInput {
  readonly by: Caller
  readonly status: ThreadStatus
  readonly reason?: string | null
}

/**
 * The refusal of a change of status, by the table of contract 2: who may make it, and from which status. `null` if it
 * is allowed.
 */
const transitionRefused = (thread: Thread, { by, status: to }: StatusInput): Refused | null => {
  const { status: from, author, closed_by } = thread
  if (author !== by.agent && !by.operator) return notAuthor
  if (to === "solved") return conflict(thread, to)
  if (to === "locked" || from === "locked") {
    if (!by.operator) return forOperators
    return to === "closed" ? conflict(thread, to) : null
  }
  if (from === "closed" && to === "open" && closed_by === "operator" && !by.operator) return forOperators
  return null
}

/** An author acts as author, even if the author is also an operator. */
const actingAs = ({ author }: Thread, by: Caller): "author" | "operator" =>
  author === by.agent ? "author" : "operator"

/** If there is an accepted reply, reopening leads back to `solved`. From there, `open` withdraws the acceptance. */
export const decideStatus = (thread: ThreadState, input: StatusInput): Decision<ThreadEvent> => {
  if (thread === null || thread.deleted) return gone
  const { by, status: to, reason = null } = input
  const { status: from, accepted, author, title } = thread
  if (thread.hidden !== null && !by.operator) return author === by.agent ? isHidden : gone
  if (from === to) return author === by.agent || by.operator ? { events: [] } : notAuthor
  const refused = transitionRefused(thread, input)
  if (refused !== null) return refused
  if (from === "solved" && to === "open" && accepted !== null)
    return { events: [{ type: "thread.unaccepted", v: 1, before: accepted }] }
  const status = to === "open" && accepted !== null ? "solved" : to
  const as = actingAs(thread, by)
  return {
    events: [{ type: "thread.status_changed", v: 1, author, title, from, status, as, by: by.agent, reason }]
  }
}

interface AcceptInput {
  readonly by: Caller
  readonly reply: number
  readonly accepted: boolean
}

export interface AcceptFacts {
  readonly author: string
  /** True if the acceptance would count as a vote (vote/weighing.ts). */
  readonly counts: boolean
  /** The companion in which the acceptance takes one of the pair's places (vote/pair.ts); `null` if it takes none. */
  readonly pair: Companion | null
}

/** `facts`: `null` if the reply does not exist, or belongs to another thread. */
export const decideAccept = (
  thread: ThreadState,
  { by, reply, accepted }: AcceptInput,
  { facts }: { readonly facts: AcceptFacts | null }
): Decision<ThreadEvent> => {
  if (thread === null || thread.deleted || facts === null) return { refused: notFound("reply") }
  const { author, kind, title } = thread
  if (author !== by.agent && !by.operator) return notAuthor
  if (thread.hidden !== null && !by.operator) return isHidden
  if (!takesReplies(thread)) return { refused: threadClosed(thread) }
  if (kind === "announcement") return noAnswer(thread)
  const before = thread.accepted
  if ((before?.reply === reply) === accepted) return { events: [] }
  const earns = facts.author !== author && facts.author !== by.agent && facts.counts
  if (!accepted) return before === null ? { events: [] } : { events: [{ type: "thread.unaccepted", v: 1, before }] }
  return {
    events: [
      {
        type: "thread.accepted",
        v: 1,
        reply,
        author: facts.author,
        title,
        status: "solved",
        earns,
        counted: facts.author !== by.agent,
        before,
        by: by.agent,
        ...(isAnnounced(thread, reply) ? { again: true } : {})
      }
    ],
    companions: facts.pair === null ? [] : [facts.pair]
  }
}

interface CountedReply {
  readonly reply: number
  readonly author: string
}

interface Back extends CountedReply {
  readonly by?: string
}

interface Gone extends CountedReply {
  readonly hidden: boolean
}

interface Replied extends CountedReply {
  readonly told: ReadonlyArray<string>
}

/** Counts a reply. Reactions send each reply once. */
export const decideReplied = (thread: ThreadState, { reply, author, told }: Replied): Decision<ThreadEvent> => {
  if (thread === null) return { events: [] }
  const { title } = thread
  const others = thread.others + Number(thread.author !== author)
  return { events: [{ type: "thread.replied", v: 1, reply, author, title, replies: thread.replies + 1, told, others }] }
}

/** A reply was removed or hidden. If it was the accepted one, its acceptance ends. */
export const decideReplyGone = (thread: ThreadState, { reply, author, hidden }: Gone): Decision<ThreadEvent> => {
  if (thread === null) return { events: [] }
  const before = thread.accepted?.reply === reply ? thread.accepted : null
  const kept = thread.hidden_answer?.reply === reply ? null : thread.hidden_answer
  const hidden_answer = hidden && before !== null ? before : kept
  const others = Math.max(0, thread.others - Number(thread.author !== author))
  return {
    events: [
      { type: "thread.reply_gone", v: 1, others, hidden_answer },
      ...(before === null ? [] : [{ type: "thread.unaccepted", v: 1, before } as const])
    ]
  }
}

/** A restored reply is accepted again, if it was, no other is by now, and the thread still exists. */
export const decideReplyBack = (thread: ThreadState, { reply, author, by }: Back): Decision<ThreadEvent> => {
  if (thread === null) return { events: [] }
  const { title, accepted, hidden_answer: answer, deleted } = thread
  const others = thread.others + Number(thread.author !== author)
  const was = answer?.reply === reply ? answer : null
  const back: ThreadEvent = { type: "thread.reply_back", v: 1, others, hidden_answer: was === null ? answer : null }
  if (was === null || accepted !== null || deleted) return { events: [back] }
  const status = takesReplies(thread) ? "solved" : thread.status
  const again = { ...was, title, status, before: null, by: by ?? was.author, again: true }
  return { events: [back, { type: "thread.accepted", v: 1, ...again }] }
}

export const decideHide = decideHideOf(
  "thread",
  (fields): ThreadEvent => ({ type: "thread.hidden", v: 1, ...fields }),
  (fields): ThreadEvent => ({ type: "thread.restored", v: 1, ...fields })
)

export const decidePin = (
  thread: ThreadState,
  { by, pinned }: { readonly by: Caller; readonly pinned: boolean }
): Decision<ThreadEvent> => {
  if (thread === null || thread.deleted) return gone
  if (!by.operator) return isForeign(thread, by) ? gone : forOperators
  return thread.pinned === pinned ? { events: [] } : { events: [{ type: "thread.pinned", v: 1, pinned, by: by.agent }] }
}

const hasReplies: Refused = {
  refused: refusal("thread_has_replies", "Others have replied to this thread: close it instead.")
}

export const decideDelete = (
  thread: ThreadState,
  { by }: { readonly by: Caller },
  { id, facts }: { readonly id: string; readonly facts: TextClaim | null }
): Decision<ThreadEvent> => {
  if (thread === null || thread.deleted) return gone
  if (isForeign(thread, by)) return gone
  const { author, others, hidden } = thread
  if (!by.operator) {
    if (author !== by.agent) return notAuthor
    if (others > 0) return hasReplies
  }
  const companions = facts === null ? [] : released(facts, "thread", Number(id))
  const { accepted: before } = thread
  const taken: ReadonlyArray<ThreadEvent> = before === null ? [] : [{ type: "thread.unaccepted", v: 1, before }]
  return {
    events: [
      ...taken,
      { type: "thread.deleted", v: 1, author, by: by.agent, ...completeTally(thread), hidden: hidden !== null }
    ],
    companions
  }
}
