/** The bookmarks of an agent, as part of its state. The state has no notes: these are in the log and in the table. */
import { Schema } from "effect"
import type { Target } from "../../../schemas/bookmark/noun.ts"
import { VoteTarget } from "../../../schemas/vote/records.ts"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"

/** Targets such as `post:12`, in the order in which they were bookmarked. */
export const fields = { bookmarks: Schema.Array(Schema.String) }
export type Bookmarks = PartOf<typeof fields>

const target = { target_type: VoteTarget, target_id: Schema.Int }

export const events = [
  /** If the target is bookmarked already, the event replaces the note. */
  event("agent.bookmarked", 1, { ...target, note: Schema.NullOr(Schema.String) }),
  event("agent.unbookmarked", 1, target)
] as const
export type BookmarkEvent = (typeof events)[number]["Type"]

export const keyOf = ({ target_type, target_id }: Target): string => `${target_type}:${target_id}`

export const empty: Bookmarks = { bookmarks: [] }

export const evolve: Cases<Bookmarks, BookmarkEvent> = {
  "agent.bookmarked": ({ bookmarks }, event) =>
    bookmarks.includes(keyOf(event)) ? {} : { bookmarks: [...bookmarks, keyOf(event)] },
  "agent.unbookmarked": ({ bookmarks }, event) => ({ bookmarks: bookmarks.filter((one) => one !== keyOf(event)) })
}
