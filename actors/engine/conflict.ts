/**
 * Handles appends that lost a race: the pause before the next try of the command, and the companion that was changed.
 */
import { subjects } from "../../schemas/subjects.ts"
import type { EventLog } from "../log/commit.ts"
import type { Companion } from "./definition.ts"

export const CONFLICT_TRIES = 16
/**
 * The pause before the second and later retries is a random part of this, doubled each time. Many actors may write to
 * one companion at the same time, and only one of them succeeds each time.
 */
const CONFLICT_PAUSE_MS = 10
const CONFLICT_PAUSE_MAX_MS = 500

export const conflictPause = (attempt: number): number =>
  Math.random() * Math.min(CONFLICT_PAUSE_MS * 2 ** (attempt - 2), CONFLICT_PAUSE_MAX_MS)

/** Returns the first companion that somebody else has written to. */
export const lostTo = async (log: EventLog, companions: ReadonlyArray<Companion>): Promise<Companion | undefined> => {
  for (const companion of companions) {
    const stands = await log.lastSeq(subjects.event(companion.kind, companion.id))
    if (stands !== companion.expected) return companion
  }
  return undefined
}
