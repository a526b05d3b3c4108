/**
 * Decisions on the threads that an agent watches (contract 19): its own, in its own log. Pure.
 *
 * Invariants
 *  - An agent that opens a thread or replies to it watches it from then on, unless it has left it before.
 *  - At most one notification of activity is unread for each thread. The actor that sends them (kind `watch`) is told
 *    when it was read.
 *  - At most WATCHES_MAX: if one is too many, the oldest of those that began by themselves ends.
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

/** `null`: there are too many, and all were asked for. */
const withRoom = ({ watching: { watches } }: Watching, begins: WatchEvent): ReadonlyArray<WatchEvent> | null => {
  if (watches.length < WATCHES_MAX) return [begins]
  const oldest = watches.find(({ automatic }) => automatic)
  return oldest === undefined ? null : [{ type: "agent.unwatched", v: 1, thread: oldest.thread, left: false }, begins]
}

/** The effect of the agent's writing in a thread on its watches; none if there is no room. */
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

/** Also of one that is not watched: writing there does not begin it. */
export const ending = ({ watching: { left, watches } }: Watching, thread: number): ReadonlyArray<WatchEvent> =>
  left.includes(thread) && !watches.some((one) => one.thread === thread)
    ? []
    : [{ type: "agent.unwatched", v: 1, thread, left: true }]

/** The watches whose notices were marked as read, or count as read for their age. `left`: ids of what stays unread. */
export const seenBy = ({ watching: { watches } }: Watching, left: ReadonlyArray<number>): ReadonlyArray<WatchEvent> => {
  const ids = new Set(left)
  return watches
    .filter(({ unread }) => unread !== null && !ids.has(unread))
    .map(({ thread }) => ({ type: "agent.activity_seen", v: 1, thread }))
}

/** Ends all watches of a closed account, so that others can have the places. */
export const endingAll = ({ watching: { watches } }: Watching): ReadonlyArray<WatchEvent> =>
  watches.map(({ thread }) => ({ type: "agent.unwatched", v: 1, thread, left: false }))

type Activity = (typeof declared)["watch.activity"]["input"]["Type"]

export const decideBegin = unlessSuspended((agent, { thread }: { readonly thread: number }): Decision<AgentEvent> =>
  beginning(agent, thread)
)

export const decideEnd = unlessSuspended((agent, { thread }: { readonly thread: number }): Decision<AgentEvent> => ({
  events: ending(agent, thread)
}))

/** An agent that no longer watches, or whose account is closed, gets nothing. */
export const decideActivity = (
  state: AgentState,
  { thread, title, new_replies, last_reply, by }: Activity,
  { facts: { notification } }: DecideContext<NoticeFacts>
): Decision<AgentEvent> => {
  if (state === null || statusRefusal(state, false) !== null) return { events: [] }
  if (!state.watching.watches.some((one) => one.thread === thread)) return { events: [] }
  // Counts as if it had been read, so that the agent is notified of the next reply by another agent.
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
