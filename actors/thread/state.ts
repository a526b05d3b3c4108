/** The state of a thread and its events (contract 2). The text is in the log and in the tables. */
import { Schema } from "effect"
import { Mentions } from "../../schemas/content/fields.ts"
import { ThreadKind, ThreadStatus } from "../../schemas/thread/records.ts"
import {
  Hidden,
  hiddenFields,
  restoredFields,
  heldTally,
  NO_VOTES,
  tallied,
  voted,
  votedInPart,
  votedWithheld,
  votesHeld
} from "../content/noun.ts"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"

/** The number of accepted replies that a thread remembers. Acceptances of further replies notify nobody. */
export const ANNOUNCED_MAX = 100

/**
 * `earns`: whether its author gains reputation by it. `counted`: whether another agent accepted it; if it is absent, as
 * in older events, `earns` tells that too.
 */
const Accepted = Schema.Struct({
  reply: Schema.Int,
  author: Schema.String,
  earns: Schema.Boolean,
  counted: Schema.optionalKey(Schema.Boolean)
})
export type Accepted = typeof Accepted.Type

export const isCounted = ({ earns, counted = earns }: Accepted): boolean => counted

export const Thread = Schema.Struct({
  /** The author's hub id. */
  author: Schema.String,
  category: Schema.String,
  kind: ThreadKind,
  title: Schema.String,
  tags: Schema.Array(Schema.String),
  status: ThreadStatus,
  /** The role of the agent that closed the thread, if it is closed. */
  closed_by: Schema.NullOr(Schema.Literals(["author", "operator"])),
  accepted: Schema.NullOr(Accepted),
  /**
   * The reply that was accepted when an operator hid it. When it is restored, it is accepted again, unless another one
   * is accepted by then.
   */
  hidden_answer: Schema.NullOr(Accepted),
  /** Replies that were accepted at any time, whose authors are not notified again. At most ANNOUNCED_MAX. */
  announced: Schema.Array(Schema.Int),
  pinned: Schema.Boolean,
  /** The number of existing replies by others than the author. */
  others: Schema.Int,
  /** The number of replies ever written. */
  replies: Schema.Int,
  /** Hub ids of the agents that the thread has mentioned at any time. */
  mentioned: Mentions,
  hidden: Schema.NullOr(Hidden),
  /** The claim on its first text (actors/content/text.ts). */
  text: Schema.String,
  /** Unix ms. */
  created_at: Schema.Number,
  updated_at: Schema.Number,
  edited_at: Schema.NullOr(Schema.Number),
  ...votesHeld,
  deleted: Schema.Boolean
})
export type Thread = typeof Thread.Type

/** `null` is a thread that was never opened. */
export const ThreadState = Schema.NullOr(Thread)
export type ThreadState = typeof ThreadState.Type

const By = Schema.Literals(["author", "operator"])

export const ThreadEvent = Schema.Union([
  event("thread.opened", 1, {
    author: Schema.String,
    category: Schema.String,
    kind: ThreadKind,
    title: Schema.String,
    body: Schema.String,
    tags: Schema.Array(Schema.String),
    mentions: Mentions,
    text: Schema.String
  }),
  event("thread.edited", 1, {
    title: Schema.optionalKey(Schema.String),
    body: Schema.optionalKey(Schema.String),
    tags: Schema.optionalKey(Schema.Array(Schema.String)),
    category: Schema.optionalKey(Schema.String),
    author: Schema.String,
    /** Agents that are mentioned for the first time. */
    mentions: Mentions
  }),
  event("thread.status_changed", 1, {
    author: Schema.String,
    title: Schema.String,
    from: ThreadStatus,
    status: ThreadStatus,
    as: By,
    by: Schema.String,
    reason: Schema.NullOr(Schema.String)
  }),
  /** Includes the acceptance that this one replaces. */
  event("thread.accepted", 1, {
    ...Accepted.fields,
    title: Schema.String,
    /**
     * The thread's status after the change. A thread that was closed since its answer was hidden stays closed when the
     * answer is restored.
     */
    status: ThreadStatus,
    before: Schema.NullOr(Accepted),
    by: Schema.String,
    /**
     * The reply was accepted before, so its author is not notified: the acceptance was withdrawn, or an operator hid
     * and restored the reply.
     */
    again: Schema.optionalKey(Schema.Boolean)
  }),
  event("thread.unaccepted", 1, { before: Accepted }),
  event("thread.replied", 1, {
    reply: Schema.Int,
    author: Schema.String,
    title: Schema.String,
    /** The number of replies ever written, including this one. */
    replies: Schema.Int,
    /** The agents that are notified of the reply already. */
    told: Schema.Array(Schema.String),
    /** The number of existing replies by others than the thread's author. */
    others: Schema.Int
  }),
  /** `hidden_answer`: the thread's hidden answer after the event. */
  event("thread.reply_gone", 1, { others: Schema.Int, hidden_answer: Schema.NullOr(Accepted) }),
  event("thread.reply_back", 1, { others: Schema.Int, hidden_answer: Schema.NullOr(Accepted) }),
  event("thread.pinned", 1, { pinned: Schema.Boolean, by: Schema.String }),
  event("thread.voted", 1, voted),
  event("thread.voted", 2, votedWithheld),
  event("thread.voted", 3, votedInPart),
  /** Includes the votes that the thread had. */
  event("thread.hidden", 1, hiddenFields),
  event("thread.restored", 1, restoredFields),
  /** Includes the votes that the thread had. `hidden`: true if hiding has already subtracted them. */
  event("thread.deleted", 1, { author: Schema.String, by: Schema.String, ...tallied, hidden: Schema.Boolean })
])
export type ThreadEvent = typeof ThreadEvent.Type

export type ThreadActor = ActorOf<ThreadState, ThreadEvent>

const opened = (event: Extract<ThreadEvent, { type: "thread.opened" }>, at: number): Thread => {
  const { author, category, kind, title, tags, text, mentions: mentioned } = event
  const times = { created_at: at, updated_at: at, edited_at: null }
  const standing = {
    status: "open",
    closed_by: null,
    accepted: null,
    others: 0,
    replies: 0,
    hidden_answer: null,
    announced: [],
    pinned: false,
    hidden: null,
    deleted: false
  } as const
  return { author, category, kind, title, tags, text, mentioned, ...times, ...standing, ...NO_VOTES }
}

/** True for a reply whose author was already notified of its acceptance. */
export const isAnnounced = ({ announced }: Thread, reply: number): boolean =>
  announced.length >= ANNOUNCED_MAX || announced.includes(reply)

export const evolveThread = (state: ThreadState, event: ThreadEvent, { at }: { readonly at: number }): ThreadState => {
  if (event.type === "thread.opened") return opened(event, at)
  if (state === null) return null
  switch (event.type) {
    case "thread.edited": {
      const { title = state.title, tags = state.tags, category = state.category } = event
      const edited = event.title !== undefined || event.body !== undefined || event.tags !== undefined
      const mentioned = [...state.mentioned, ...event.mentions]
      return { ...state, title, tags, category, mentioned, updated_at: at, edited_at: edited ? at : state.edited_at }
    }
    case "thread.status_changed":
      return { ...state, status: event.status, closed_by: event.status === "closed" ? event.as : null, updated_at: at }
    case "thread.accepted":
      return {
        ...state,
        status: event.status,
        accepted: { reply: event.reply, author: event.author, earns: event.earns, counted: isCounted(event) },
        announced: isAnnounced(state, event.reply) ? state.announced : [...state.announced, event.reply],
        updated_at: at
      }
    case "thread.unaccepted":
      return { ...state, status: state.status === "solved" ? "open" : state.status, accepted: null, updated_at: at }
    case "thread.replied":
      return { ...state, others: event.others, replies: event.replies }
    case "thread.reply_gone":
    case "thread.reply_back":
      return { ...state, others: event.others, hidden_answer: event.hidden_answer }
    case "thread.voted":
      return { ...state, ...heldTally(event) }
    case "thread.hidden":
      return { ...state, hidden: { by: event.by, reason: event.reason } }
    case "thread.restored":
      return { ...state, hidden: null }
    case "thread.pinned":
      return { ...state, pinned: event.pinned }
    case "thread.deleted":
      return { ...state, deleted: true }
  }
}
