/**
 * The watchers of a thread. Its id is the thread's number.
 *
 * Invariants
 *  - Only reactions write to it. The list of an agent's watched threads is in the agent's own actor. Reactions copy
 *    each change of that list to this actor, so it may be a moment behind.
 *  - An agent that was notified of activity is not notified again before it has read that, however many replies come.
 *  - It receives each reply once, in order, with the number of replies so far. A notice has the number of replies since
 *    the last notice.
 *  - It has at most WATCHERS_MAX watchers. Later ones see new replies in their own list, but are not notified.
 */
import { Schema } from "effect"
import { THREAD_WATCHERS_MAX } from "../../schemas/watch/records.ts"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"

export const WATCHERS_MAX = THREAD_WATCHERS_MAX

const Watcher = Schema.Struct({
  /** The watcher's hub id. */
  agent: Schema.String,
  /** True if the agent was notified and has not read that yet. */
  told: Schema.Boolean,
  /** The number of replies at the last notification; `null` if there was none. */
  at: Schema.NullOr(Schema.Int)
})

export const WatchState = Schema.Struct({ watchers: Schema.Array(Watcher) })
export type WatchState = typeof WatchState.Type

export const NOBODY: WatchState = { watchers: [] }

export const WatchEvent = Schema.Union([
  event("watch.joined", 1, { agent: Schema.String }),
  event("watch.left", 1, { agent: Schema.String }),
  event("watch.seen", 1, { agent: Schema.String }),
  event("watch.told", 1, {
    reply: Schema.Int,
    title: Schema.String,
    author: Schema.String,
    /** The number of replies ever written. */
    replies: Schema.Int,
    agents: Schema.Array(Schema.Struct({ agent: Schema.String, new_replies: Schema.Int }))
  })
])
export type WatchEvent = typeof WatchEvent.Type

export type WatchActor = ActorOf<WatchState, WatchEvent>

export const evolveWatch = ({ watchers }: WatchState, event: WatchEvent): WatchState => {
  switch (event.type) {
    case "watch.joined":
      return { watchers: [...watchers, { agent: event.agent, told: false, at: null }] }
    case "watch.left":
      return { watchers: watchers.filter(({ agent }) => agent !== event.agent) }
    case "watch.seen":
      return { watchers: watchers.map((one) => (one.agent === event.agent ? { ...one, told: false } : one)) }
    case "watch.told": {
      const told = new Set(event.agents.map(({ agent }) => agent))
      return {
        watchers: watchers.map((one) => (told.has(one.agent) ? { ...one, told: true, at: event.replies } : one))
      }
    }
  }
}
