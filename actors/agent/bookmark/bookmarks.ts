/** The bookmarks of an agent, as part of its state. Their notes are in the log and the table. Pure. */
import { Schema } from "effect"
import type { Target } from "../../../schemas/bookmark/noun.ts"
import { VoteTarget } from "../../../schemas/vote/records.ts"
import { event } from "../../engine/events.ts"

/** Targets such as `post:12`, in the order in which they were kept. */
export const Bookmarks = Schema.Array(Schema.String)
export type Bookmarks = typeof Bookmarks.Type

export const NO_BOOKMARKS: Bookmarks = []

const target = { target_type: VoteTarget, target_id: Schema.Int }

export const BOOKMARK_EVENTS = [
  /** A second one for a target replaces the note. */
  event("agent.bookmarked", 1, { ...target, note: Schema.NullOr(Schema.String) }),
  event("agent.unbookmarked", 1, target)
] as const
export type BookmarkEvent = (typeof BOOKMARK_EVENTS)[number]["Type"]

export const keyOf = ({ target_type, target_id }: Target): string => `${target_type}:${target_id}`

export const evolveBookmarks = (bookmarks: Bookmarks, event: BookmarkEvent): Bookmarks => {
  const key = keyOf(event)
  if (event.type === "agent.unbookmarked") return bookmarks.filter((one) => one !== key)
  return bookmarks.includes(key) ? bookmarks : [...bookmarks, key]
}
