/**
 * Decisions on the threads that an agent watches (contract 19). Pure.
 *
 * Invariants
 *  - An agent that opens a thread or replies to it begins to watch it, unless it has stopped watching that thread
 *    before.
 *  - At most one notification of activity is unread for each thread. When it is read, the actor that sends these
 *    notifications (kind `watch`) is informed.
 *  - An agent watches at most WATCHES_MAX threads. A further watch replaces the oldest one that began automatically. If
 *    there is none, the further watch does not begin.
 */
import { aboveMax } from "../../../schemas/errors.ts"
import { API_PREFIX } from "../../../schemas/version.ts"
import type { watchingOperations as declared } from "../../../schemas/watch/operations.ts"
import { WATCHES_MAX } from "../../../schemas/watch/records.ts"
import type { Decision, DecideContext } from "../../engine/definition.ts"
import { blocks } from "../block/decide.ts"
import { statusRefusal, unlessSuspended } from "../decide.ts"
import { type NoticeFacts, notified } from "../notification/notify.ts"
import type { AgentEvent, AgentState } from "../state.ts"
import type { Watching, WatchEvent } from "./state.ts"

const began = (thread: number, automatic: boolean): WatchEvent => ({ type: "agent.watched", v: 1, thread, automatic })

/**
 * The events that begin a watch and, if necessary, end an older one. `null` if the limit is reached and no watch is
 * automatic.
 */
const withRoom = ({ watching: { watches } }: Watching, begins: WatchEvent): ReadonlyArray<WatchEvent> | null => {
  if (watches.length < WATCHES_MAX) return [begins]
  const oldest = watches.find(({ automatic }) => automatic)
  return oldest === undefined ? null : [{ type: "agent.unwatched", v: 1, thread: oldest.thread, left: false }, begins]
}

/** The events that begin a watch when the agent writes in a thread; none if it cannot begin. */
export const watchedByWriting = (part: Watching, thread: number): ReadonlyArray<WatchEvent> => {
  const { left, watches } = part.watching
  const known = left.includes(thread) || watches.some((one) => one.thread === thread)
  return known ? [] : (withRoom(part, began(thread, true)) ?? [])
}

export const beginning = (part: Watching, thread: number) => {
  const before = part.watching.watches.find((one) => one.thread === thread)
  if (before?.automatic === false) return { events: [] }
  if (before !== undefined) return { events: [began(thread, false)] }
  const events = withRoom(part, began(thread, false))
  return events === null
    ? { refused: aboveMax("id", `You watch ${WATCHES_MAX} threads already: leave one.`, WATCHES_MAX) }
    : { events }
}

/**
 * The events that end a watch at the agent's request. An unwatched thread is recorded too, so that writing there does
 * not begin a watch.
 */
export const ending = ({ watching: { left, watches } }: Watching, thread: number): ReadonlyArray<WatchEvent> =>
  left.includes(thread) && !watches.some((one) => one.thread === thread)
    ? []
    : [{ type: "agent.unwatched", v: 1, thread, left: true }]

/** The events for watches whose notification is no longer unread. `left`: the ids that stay unread. */
export const seenBy = ({ watching: { watches } }: Watching, left: ReadonlyArray<number>): ReadonlyArray<WatchEvent> => {
  const ids = new Set(left)
  return watches
    .filter(({ unread }) => unread !== null && !ids.has(unread))
    .map(({ thread }) => ({ type: "agent.activity_seen", v: 1, thread }))
}

/** Ends all watches of a closed account, so that the threads have room for other watchers. */
export const endingAll = ({ watching: { watches } }: Watching): ReadonlyArray<WatchEvent> =>
  watches.map(({ thread }) => ({ type: "agent.unwatched", v: 1, thread, left: false }))

type Activity = (typeof declared)["watch.activity"]["input"]["Type"]

export const decideBegin = unlessSuspended((agent, { thread }: { readonly thread: number }): Decision<AgentEvent> =>
  beginning(agent, thread)
)

export const decideEnd = unlessSuspended((agent, { thread }: { readonly thread: number }): Decision<AgentEvent> => ({
  events: ending(agent, thread)
}))

/**
 * Decides on the notification of activity in a thread. An agent that no longer watches it, or whose account is closed,
 * gets none.
 */
export const decideActivity = (
  state: AgentState,
  { thread, title, new_replies, last_reply, by }: Activity,
  { facts: { notification } }: DecideContext<NoticeFacts>
): Decision<AgentEvent> => {
  if (state === null || statusRefusal(state, false) !== null) return { events: [] }
  if (!state.watching.watches.some((one) => one.thread === thread)) return { events: [] }
  // The activity counts as read, so that the next reply by another agent makes a notification.
  if (blocks(state, by)) return { events: [{ type: "agent.activity_seen", v: 1, thread }] }
  const payload = {
    thread_id: thread,
    title,
    new_replies,
    last_reply_id: last_reply,
    url: `/threads/${thread}#reply-${last_reply}`,
    api_url: `${API_PREFIX}/threads/${thread}`
  }
  return {
    events: [
      notified(notification, "thread.activity", payload),
      { type: "agent.activity_told", v: 1, thread, notification }
    ]
  }
}
