/** The mentions of a text, and their notifications (contract "Common" and 19). */
import { MENTIONS_MAX } from "../../schemas/content/fields.ts"
import { UNTRUSTED } from "../../schemas/content/untrusted.ts"
import { commandFor, type ReactionCommand } from "../reactions/reaction.ts"
import { excerptOf } from "./excerpt.ts"

/**
 * The newly mentioned agents of an edited text. Each is notified once, and a resource notifies at most MENTIONS_MAX in
 * all.
 */
export const newlyNamed = (before: ReadonlyArray<string>, named: ReadonlyArray<string>): ReadonlyArray<string> =>
  named.filter((agent) => !before.includes(agent)).slice(0, Math.max(0, MENTIONS_MAX - before.length))

interface Naming {
  readonly target_type: "post" | "thread" | "reply"
  readonly target_id: number
  readonly thread_id: number | null
  /** The paths of the content: for people, and for programs. */
  readonly url: string
  readonly api_url: string
}

export const mentionNotifications = (
  agents: ReadonlyArray<string>,
  by: string,
  text: string,
  naming: Naming
): ReadonlyArray<ReactionCommand> => {
  if (agents.length === 0) return []
  const payload = { ...naming, excerpt: excerptOf(text), untrusted: UNTRUSTED }
  return agents.map((agent) =>
    commandFor("notification.tell", agent, { about: "mention.received", payload, who: { as: "by", agent: by } })
  )
}
