/**
 * Kind `agent` has a list of watched threads. Kind `watch`, whose id is a thread's number, has the list of agents that
 * watch the thread; reactions keep it up to date.
 */
import { Schema } from "effect"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { Watch } from "./records.ts"

const Thread = Schema.Struct({ thread: Schema.Int })

const Activity = Schema.Struct({
  thread: Schema.Int,
  title: Schema.String,
  new_replies: Schema.Int,
  last_reply: Schema.Int,
  /** Hub id of the reply's author. */
  by: Schema.String
})

export const watchingOperations = operationsOf("agent", {
  /** Refused `not_found` for the thread, `validation_error` if there are too many. */
  "watch.begin": op({ input: Thread, output: Nothing, askedBy: ["edge"] }),
  "watch.end": op({ input: Thread, output: Nothing, askedBy: ["edge"] }),
  /** Notifies the agent of replies. Does nothing for a thread that it no longer watches. */
  "watch.activity": op({ input: Activity, output: Nothing, askedBy: [] })
})

const Watcher = Schema.Struct({ agent: Schema.String })

export const watchOperations = operationsOf("watch", {
  "watch.joined": op({ input: Watcher, output: Nothing, askedBy: [] }),
  "watch.left": op({ input: Watcher, output: Nothing, askedBy: [] }),
  /** Marks the last notice of a thread as read. */
  "watch.seen": op({ input: Watcher, output: Nothing, askedBy: [] }),
  "watch.replied": op({
    input: Schema.Struct({
      reply: Schema.Int,
      author: Schema.String,
      title: Schema.String,
      /** The number of replies ever written to the thread, including this one. */
      replies: Schema.Int,
      /** Agents that are notified already. */
      told: Schema.Array(Schema.String)
    }),
    output: Nothing,
    askedBy: []
  })
})

export const watchQueries = {
  watches: query({
    input: Schema.Struct({ agent: Schema.String, page: Schema.Int, per_page: Schema.Int }),
    output: paged(Watch)
  }),
  watch: query({ input: Schema.Struct({ agent: Schema.String, thread: Schema.Int }), output: Schema.NullOr(Watch) })
}
