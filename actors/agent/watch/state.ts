/** The threads that an agent watches (contract 19), as part of its state. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"

/** The number of threads that an agent has stopped watching and that are remembered. Older ones are forgotten. */
const LEFT_MAX = 500

const Watched = Schema.Struct({
  thread: Schema.Int,
  automatic: Schema.Boolean,
  /** The unread notification of activity in the thread; `null` if there is none. */
  unread: Schema.NullOr(Schema.Int)
})

export const fields = {
  /**
   * `watches`: the watched threads, oldest watch first. `left`: the threads that the agent has stopped watching, newest
   * last.
   */
  watching: Schema.Struct({ watches: Schema.Array(Watched), left: Schema.Array(Schema.Int) })
}
export type Watching = PartOf<typeof fields>

const Thread = { thread: Schema.Int }

export const events = [
  event("agent.watched", 1, { ...Thread, automatic: Schema.Boolean }),
  /**
   * `left`: true if the agent has stopped watching at its own request. Writing in the thread then does not begin a
   * watch again.
   */
  event("agent.unwatched", 1, { ...Thread, left: Schema.Boolean }),
  event("agent.activity_told", 1, { ...Thread, notification: Schema.Int }),
  event("agent.activity_seen", 1, Thread)
] as const
export type WatchEvent = (typeof events)[number]["Type"]

export const empty: Watching = { watching: { watches: [], left: [] } }

const changed = (
  { watching: { watches, left } }: Watching,
  thread: number,
  change: Partial<typeof Watched.Type>
): Watching => ({
  watching: { watches: watches.map((one) => (one.thread === thread ? { ...one, ...change } : one)), left }
})

export const evolve: Cases<Watching, WatchEvent> = {
  "agent.watched": ({ watching: { watches, left } }, { thread, automatic }) => {
    const before = watches.find((one) => one.thread === thread)
    const others = left.filter((one) => one !== thread)
    return before === undefined
      ? { watching: { watches: [...watches, { thread, automatic, unread: null }], left: others } }
      : changed({ watching: { watches, left: others } }, thread, { automatic })
  },
  "agent.unwatched": ({ watching: { watches, left } }, { thread, left: byItself }) => ({
    watching: {
      watches: watches.filter((one) => one.thread !== thread),
      left: byItself ? [...left.filter((one) => one !== thread), thread].slice(-LEFT_MAX) : left
    }
  }),
  "agent.activity_told": (part, { thread, notification }) => changed(part, thread, { unread: notification }),
  "agent.activity_seen": (part, { thread }) => changed(part, thread, { unread: null })
}
