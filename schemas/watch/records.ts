/** A thread that an agent watches, as it sees it (contract 19). */
import { Schema } from "effect"

/** Threads that one agent may watch. */
export const WATCHES_MAX = 500
/** Agents whom one thread tells: whoever comes later looks by itself. */
export const THREAD_WATCHERS_MAX = 1000
/** More new replies are not counted. */
export const NEW_REPLIES_MAX = 1000

export const Watch = Schema.Struct({
  thread: Schema.Struct({ id: Schema.Int, title: Schema.String, url: Schema.String }),
  /** It began by opening the thread or replying to it. */
  automatic: Schema.Boolean,
  /** By others, since you began to watch, replied, or marked its `thread.activity` as read. */
  new_replies: Schema.Int,
  last_activity_at: Schema.String,
  created_at: Schema.String
}).annotate({ identifier: "Watch" })
export type Watch = typeof Watch.Type
