/** Decisions on the bookmarks of an agent. Pure. */
import type { Target } from "../../../schemas/bookmark/noun.ts"
import { aboveMax, type Refusal } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { Decision } from "../../engine/definition.ts"
import { unlessSuspended } from "../decide.ts"
import type { AgentEvent } from "../state.ts"
import { type BookmarkEvent, type Bookmarks, keyOf } from "./state.ts"

/** Bookmarks that no list shows. They are looked up only if the agent has no room for another bookmark. */
interface NotShown {
  /** Bookmarks whose target was deleted, as its own actor reports. */
  readonly gone: ReadonlyArray<Target>
  /** Up to BOOKMARKS_HIDDEN_MAX of the bookmarks whose target still exists, but is hidden at the moment. */
  readonly hidden: ReadonlyArray<Target>
  /** The number of bookmarks that no list shows, without those in `gone`. */
  readonly hiddenCount: number
}

export const NONE_LOOKED_UP: NotShown = { gone: [], hidden: [], hiddenCount: 0 }

interface Context {
  readonly facts: NotShown
}

const removed = ({ target_type, target_id }: Target): BookmarkEvent => ({
  type: "agent.unbookmarked",
  v: 1,
  target_type,
  target_id
})

const tooMany = (max: number, { hidden, hiddenCount }: NotShown): Refusal => {
  const unseen = hiddenCount === 0 ? "" : `, ${hiddenCount} of them not shown at the moment`
  const { details, ...refused } = aboveMax("id", `You have ${max} bookmarks already${unseen}. Remove one first.`, max)
  return { ...refused, details: { ...details, hidden: hiddenCount, hidden_targets: hidden } }
}

export const hasRoom = ({ bookmarks }: Bookmarks, target: Target, max: number): boolean =>
  bookmarks.length < max || bookmarks.includes(keyOf(target))

export const decideKeep = unlessSuspended(
  (
    agent,
    { target_type, target_id, note }: Target & { readonly note: string | null },
    { facts }: Context,
    { limits: { bookmarks_max } }: Limits
  ): Decision<AgentEvent> => {
    const kept: BookmarkEvent = { type: "agent.bookmarked", v: 1, target_type, target_id, note }
    if (hasRoom(agent, kept, bookmarks_max)) return { events: [kept] }
    const gone = facts.gone.filter((one) => agent.bookmarks.includes(keyOf(one)))
    return gone.length === 0 ? { refused: tooMany(bookmarks_max, facts) } : { events: [...gone.map(removed), kept] }
  }
)

export const decideRemove = unlessSuspended(({ bookmarks }, target: Target): Decision<AgentEvent> => ({
  events: bookmarks.includes(keyOf(target)) ? [removed(target)] : []
}))
