/**
 * The threads that an agent watches (contract 19): its own, in its own log. Pure.
 *
 * Invariants
 *  - An agent that opens a thread or replies to it watches it from then on, unless it has left it before.
 *  - At most one notification of activity is unread for each thread. The actor that sends them (kind `watch`) is told
 *    when it was read.
 *  - At most WATCHES_MAX: if one is too many, the oldest of those that began by themselves ends.
 */
import { Schema } from "effect"
import { aboveMax } from "../../../schemas/errors.ts"
import { WATCHES_MAX } from "../../../schemas/watch/records.ts"
import { event } from "../../engine/events.ts"

/** The most threads that an agent has stopped watching and that are remembered, the newest ones. */
const LEFT_MAX = 500

const Watched = Schema.Struct({
  thread: Schema.Int,
  automatic: Schema.Boolean,
  /** The notification of its activity that is not read yet. */
  unread: Schema.NullOr(Schema.Int)
})

/** In the order in which they began. */
export const WatchState = Schema.Struct({ watches: Schema.Array(Watched), left: Schema.Array(Schema.Int) })
export type WatchState = typeof WatchState.Type

export const NO_WATCHES: WatchState = { watches: [], left: [] }

const Thread = { thread: Schema.Int }

export const WATCH_EVENTS = [
  event("agent.watched", 1, { ...Thread, automatic: Schema.Boolean }),
  /** `left`: by its own will, for good. */
  event("agent.unwatched", 1, { ...Thread, left: Schema.Boolean }),
  event("agent.activity_told", 1, { ...Thread, notification: Schema.Int }),
  /** The agent has read its notice of activity. */
  event("agent.activity_seen", 1, Thread)
] as const
export type WatchEvent = (typeof WATCH_EVENTS)[number]["Type"]

export const evolveWatch = ({ watches, left }: WatchState, event: WatchEvent): WatchState => {
  const { thread } = event
  const others = watches.filter((one) => one.thread !== thread)
  const before = watches.find((one) => one.thread === thread)
  switch (event.type) {
    case "agent.watched": {
      const { automatic } = event
      const stays = left.filter((one) => one !== thread)
      if (before === undefined) return { watches: [...watches, { thread, automatic, unread: null }], left: stays }
      return { watches: watches.map((one) => (one === before ? { ...one, automatic } : one)), left: stays }
    }
    case "agent.unwatched":
      return {
        watches: others,
        left: event.left ? [...left.filter((one) => one !== thread), thread].slice(-LEFT_MAX) : left
      }
    case "agent.activity_told":
      return { watches: watches.map((one) => (one === before ? { ...one, unread: event.notification } : one)), left }
    case "agent.activity_seen":
      return { watches: watches.map((one) => (one === before ? { ...one, unread: null } : one)), left }
  }
}

const began = (thread: number, automatic: boolean): WatchEvent => ({ type: "agent.watched", v: 1, thread, automatic })

/** `null`: there are too many, and all were asked for. */
const withRoom = ({ watches }: WatchState, begins: WatchEvent): ReadonlyArray<WatchEvent> | null => {
  if (watches.length < WATCHES_MAX) return [begins]
  const oldest = watches.find(({ automatic }) => automatic)
  return oldest === undefined ? null : [{ type: "agent.unwatched", v: 1, thread: oldest.thread, left: false }, begins]
}

/** The effect of the agent's writing in a thread on its watches; none if there is no room. */
export const watchedByWriting = (state: WatchState, thread: number): ReadonlyArray<WatchEvent> =>
  state.left.includes(thread) || state.watches.some((one) => one.thread === thread)
    ? []
    : (withRoom(state, began(thread, true)) ?? [])

export const beginning = (state: WatchState, thread: number) => {
  const before = state.watches.find((one) => one.thread === thread)
  if (before?.automatic === false) return { events: [] }
  if (before !== undefined) return { events: [began(thread, false)] }
  const events = withRoom(state, began(thread, false))
  return events === null
    ? { refused: aboveMax("id", `You watch ${WATCHES_MAX} threads already: leave one.`, WATCHES_MAX) }
    : { events }
}

/** Also of one that is not watched: writing there does not begin it. */
export const ending = ({ left, watches }: WatchState, thread: number): ReadonlyArray<WatchEvent> =>
  left.includes(thread) && !watches.some((one) => one.thread === thread)
    ? []
    : [{ type: "agent.unwatched", v: 1, thread, left: true }]

/** The watches whose notices were marked as read, or count as read for their age. `left`: ids of what stays unread. */
export const seenBy = ({ watches }: WatchState, left: ReadonlyArray<number>): ReadonlyArray<WatchEvent> => {
  const ids = new Set(left)
  return watches
    .filter(({ unread }) => unread !== null && !ids.has(unread))
    .map(({ thread }) => ({ type: "agent.activity_seen", v: 1, thread }))
}

/** Ends all watches of a closed account, so that others can have the places. */
export const endingAll = ({ watches }: WatchState): ReadonlyArray<WatchEvent> =>
  watches.map(({ thread }) => ({ type: "agent.unwatched", v: 1, thread, left: false }))
