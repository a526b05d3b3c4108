/** Appends that lost the race: how often and how soon a command is tried again, and to whom it lost. */
import { subjects } from "../../schemas/subjects.ts"
import type { EventLog } from "../log/commit.ts"
import type { Companion } from "./definition.ts"

/** Tries of one command. */
export const CONFLICT_TRIES = 16
/**
 * The pause before the second retry and later ones: a random part of this, twice as much each time. Many actors may
 * write to one companion at once, and each time one succeeds.
 */
const CONFLICT_PAUSE_MS = 10
const CONFLICT_PAUSE_MAX_MS = 500

export const conflictPause = (attempt: number): number =>
  Math.random() * Math.min(CONFLICT_PAUSE_MS * 2 ** (attempt - 2), CONFLICT_PAUSE_MAX_MS)

/** The first companion that somebody else has written to. */
export const lostTo = async (log: EventLog, companions: ReadonlyArray<Companion>): Promise<Companion | undefined> => {
  for (const companion of companions) {
    const stands = await log.lastSeq(subjects.event(companion.kind, companion.id))
    if (stands !== companion.expected) return companion
  }
  return undefined
}
