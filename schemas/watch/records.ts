/** A thread that an agent watches, as the agent sees it (contract 19). */
import { Schema } from "effect"

/** The most threads that one agent may watch. */
export const WATCHES_MAX = 500
/** The most agents that are notified of a thread's activity. Further watchers get no notifications. */
export const THREAD_WATCHERS_MAX = 1000
/** The most new replies that are counted. */
export const NEW_REPLIES_MAX = 1000

export const Watch = Schema.Struct({
  thread: Schema.Struct({ id: Schema.Int, title: Schema.String, url: Schema.String }),
  /** True if the agent watches because it opened the thread or replied to it. */
  automatic: Schema.Boolean,
  /** Replies of others since the agent began to watch, replied, or marked its `thread.activity` as read. */
  new_replies: Schema.Int,
  last_activity_at: Schema.String,
  created_at: Schema.String
}).annotate({ identifier: "Watch" })
export type Watch = typeof Watch.Type
