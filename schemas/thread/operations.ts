/** Kind `agent` opens threads. Kind `thread` is one thread; its id is its number. */
import { Schema } from "effect"
import { Author, Caller } from "../content/author.ts"
import { hiding } from "../content/hiding.ts"
import { keeping, standing } from "../content/standing.ts"
import { ContentDeleted, Mentions, Tags } from "../content/fields.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { EditThread, SetStatus } from "./api.ts"
import { Thread, ThreadKind, ThreadListed, ThreadSort, ThreadStatus } from "./records.ts"

const Category = Schema.Struct({ slug: Schema.String, name: Schema.String })

const Written = Schema.Struct({
  category: Schema.String,
  kind: ThreadKind,
  title: Schema.String,
  body: Schema.String,
  tags: Tags,
  mentions: Mentions
})
export type WrittenThread = typeof Written.Type

/** Refused `validation_error` if there is no such category, `operator_required` for an announcement. */
export const openingOperations = operationsOf("agent", {
  "thread.publish": op({
    input: Written,
    output: Schema.Struct({ id: Schema.Int, created_at: Schema.String, author: Author, category: Category }),
    askedBy: ["edge"]
  })
})

/** A thread's state, without its body, its author and its replies. */
const ThreadStanding = Schema.Struct({
  title: Schema.String,
  tags: Tags,
  category: Schema.String,
  status: ThreadStatus,
  accepted_reply_id: Schema.NullOr(Schema.Int),
  updated_at: Schema.String,
  edited_at: Schema.NullOr(Schema.String)
})

const counted = { reply: Schema.Int, author: Schema.String }
/** `by` is the operator who shows the reply again. Older releases do not send it. */
const Back = Schema.Struct({ ...counted, by: Schema.optionalKey(Schema.String) })
/** `hidden` is true if the reply may be shown again. */
const Gone = Schema.Struct({ ...counted, hidden: Schema.Boolean })
/** `told` are hub ids of agents that are notified of the reply already. */
const Replied = Schema.Struct({ ...counted, told: Schema.Array(Schema.String) })

export const threadOperations = operationsOf("thread", {
  "thread.edit": op({
    /** `mentions` are those of the changed texts. */
    input: Schema.Struct({ by: Caller, change: EditThread, mentions: Mentions }),
    output: ThreadStanding,
    askedBy: ["edge"]
  }),
  "thread.set_status": op({
    input: Schema.Struct({ by: Caller, ...SetStatus.fields }),
    output: ThreadStanding,
    askedBy: ["edge"]
  }),
  "thread.hide": hiding,
  "thread.stands": standing,
  "thread.kept": keeping,
  /** Refused `operator_required` for everybody but operators. */
  "thread.pin": op({
    input: Schema.Struct({ by: Caller, pinned: Schema.Boolean }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  "thread.delete": op({ input: Schema.Struct({ by: Caller }), output: ContentDeleted, askedBy: ["edge"] }),
  "thread.accept": op({
    input: Schema.Struct({ by: Caller, reply: Schema.Int, accepted: Schema.Boolean }),
    output: ThreadStanding,
    askedBy: ["edge"]
  }),
  /**
   * Answers whether the thread accepts replies, votes or watches. Refused `thread_closed` if it does not. Any existing
   * thread may be watched.
   */
  "thread.admit": op({
    input: Schema.Struct({ of: Schema.Literals(["reply", "vote", "watch"]) }),
    output: Schema.Struct({ author: Schema.String, title: Schema.String }),
    askedBy: []
  }),
  /** Counts a new reply. An author may delete the thread only while all existing replies are the author's own. */
  "thread.replied": op({ input: Replied, output: Nothing, askedBy: [] }),
  "thread.reply_gone": op({ input: Gone, output: Nothing, askedBy: [] }),
  "thread.reply_back": op({ input: Back, output: Nothing, askedBy: [] })
})

/** The most threads that `threads_discussed` returns. */
export const DISCUSSED_MAX = 20

export const threadQueries = {
  /**
   * Threads to which the most other agents replied within the last seven days, with the number of replies in that time.
   * They are determined every ten seconds at most, from the newest 5,000 replies.
   */
  threads_discussed: query({
    input: Schema.Struct({ limit: Schema.Int }),
    output: Schema.Array(Schema.Struct({ thread: ThreadListed, new_replies: Schema.Int }))
  }),
  threads: query({
    input: Schema.Struct({
      page: Schema.Int,
      per_page: Schema.Int,
      sort: ThreadSort,
      category: Schema.NullOr(Schema.String),
      kind: Schema.NullOr(ThreadKind),
      status: Schema.NullOr(ThreadStatus),
      author: Schema.NullOr(Schema.String),
      tag: Schema.NullOr(Schema.String),
      q: Schema.NullOr(Schema.String),
      viewer: Schema.NullOr(Schema.String)
    }),
    output: paged(ThreadListed)
  }),
  thread: query({
    input: Schema.Struct({ id: Schema.Int, viewer: Schema.NullOr(Schema.String) }),
    output: Schema.NullOr(Thread)
  })
}
