/** The time of the latest news for an agent, as part of its state. */
import { Schema } from "effect"
import type { Notified } from "../notification/state.ts"
import type { Cases, PartOf } from "../part.ts"
import type { Registered } from "../profile/state.ts"
import type { WatchEvent } from "../watch/state.ts"

/** Unix ms of the last notification or the last change of a watch (quiet.ts). */
export const fields = { stirred_at: Schema.Number }
type Part = PartOf<typeof fields>

export const begun = (_event: Registered, at: number): Part => ({ stirred_at: at })

const stirred = (_part: Part, _event: unknown, at: number): Part => ({ stirred_at: at })

export const evolve: Cases<Part, Notified | WatchEvent> = {
  "agent.notified": stirred,
  "agent.watched": stirred,
  "agent.unwatched": stirred,
  "agent.activity_told": stirred,
  "agent.activity_seen": stirred
}
