/** Decisions on the bookmarks of an agent. Pure. */
import type { Target } from "../../../schemas/bookmark/noun.ts"
import { aboveMax } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { Decision } from "../../engine/definition.ts"
import { unlessSuspended } from "../decide.ts"
import type { AgentEvent } from "../state.ts"
import { type BookmarkEvent, keyOf } from "./bookmarks.ts"

/** `facts`: bookmarks whose target was deleted; looked up where there is no room. */
interface Context {
  readonly facts: ReadonlyArray<Target>
}

const removed = ({ target_type, target_id }: Target): BookmarkEvent => ({
  type: "agent.unbookmarked",
  v: 1,
  target_type,
  target_id
})

const tooMany = (max: number) => aboveMax("id", `You have ${max} bookmarks already. Remove one first.`, max)

export const decideKeep = unlessSuspended(
  (
    { bookmarks },
    { target_type, target_id, note }: Target & { readonly note: string | null },
    { facts }: Context,
    { limits: { bookmarks_max } }: Limits
  ): Decision<AgentEvent> => {
    const kept: BookmarkEvent = { type: "agent.bookmarked", v: 1, target_type, target_id, note }
    if (bookmarks.includes(keyOf(kept)) || bookmarks.length < bookmarks_max) return { events: [kept] }
    const gone = facts.filter((one) => bookmarks.includes(keyOf(one)))
    return gone.length === 0 ? { refused: tooMany(bookmarks_max) } : { events: [...gone.map(removed), kept] }
  }
)

export const decideRemove = unlessSuspended(({ bookmarks }, target: Target): Decision<AgentEvent> => ({
  events: bookmarks.includes(keyOf(target)) ? [removed(target)] : []
}))
