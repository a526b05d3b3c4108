/**
 * Kind `agent` watches: what it watches is its own. Kind `watch`, id = a thread's number, knows who watches that thread,
 * by reactions.
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
  /** Hub id of who wrote it. */
  by: Schema.String
})

export const watchingOperations = operationsOf("agent", {
  /** Refused `not_found` for the thread, `validation_error` if there are too many. */
  "watch.begin": op({ input: Thread, output: Nothing, askedBy: ["edge"] }),
  "watch.end": op({ input: Thread, output: Nothing, askedBy: ["edge"] }),
  /** Told of replies; what it does not watch any more it is not. */
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
      /** Ever written to the thread, this one with them. */
      replies: Schema.Int,
      /** The agents that hear of it already. */
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
