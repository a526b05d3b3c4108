/**
 * The commits of a segment that have an end (a TTL of the log), in objects of their own beside the segment: its parts.
 * A part holds the commits of one segment that end within the same week. It is removed as a whole after that week, so
 * that nothing is ever rewritten.
 *
 * Invariants
 *  - The name of a part says when it is removed, so the removal reads no segment. It can end at any point and be
 *    repeated. It also finds parts of a segment that was never indexed or marked, and files that a killed `put` has
 *    left.
 *  - Readers leave out a commit from its end on. They stop reading a part some time before it is removed, so that no
 *    reader misses a part that it needs.
 *  - A removal cannot be undone, so no single clock decides on it: the time must be over for the bus too.
 *  - A part is stored before its segment. The footer of the segment states the hash of each part (segment.ts), so the
 *    mark fixes the parts too. A part that is missing or damaged before its time is an error.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { Clock } from "effect"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { wallMs } from "../../../schemas/runtime/clock.ts"
import { streams } from "../../../schemas/subjects.ts"
import type { Objects } from "./objects.ts"
import { endIn, PART_PREFIX } from "./part-name.ts"
import type { Parts } from "./segment.ts"

/** Readers may use a part for this long after its week, because one may have begun right before the week was over. */
const READ_MS = 1_800_000
/** A part is removed this long after its week: twice as long, because the clocks of two machines differ. */
const REMOVED_MS = 2 * READ_MS
/** The maximum number of objects that one run removes. The next run continues. */
const REMOVED_MAX = 1000

export const partsIn = (objects: Objects, clock: Clock.Clock): Parts => ({
  areOver: (ends) => ends + READ_MS <= wallMs(clock),
  open: (name) => objects.open(name)
})

/** The time by which parts are removed, in Unix ms: the earlier one of this clock and the bus's. */
export const agreedTime = async (manager: JetStreamManager, clock: Clock.Clock): Promise<number> => {
  const { ts = "" } = await manager.streams.info(streams.events)
  const theirs = Date.parse(ts)
  if (Number.isNaN(theirs)) throw new Error(`the bus does not say the time of ${streams.events}`)
  return Math.min(wallMs(clock), theirs)
}

/** Removes parts whose time is over, the oldest first. Resolves to their number. `now`: the result of `agreedTime`. */
export const removeEnded = async (objects: Objects, now: number): Promise<number> => {
  const names = await objects.list(PART_PREFIX)
  let removed = 0
  for (const name of names) {
    const ends = endIn(name)
    if (ends === null || ends + REMOVED_MS > now) continue
    if (removed === REMOVED_MAX) break
    await objects.remove(name)
    removed++
  }
  if (removed > 0) logNow("info", "archive", { removed })
  return removed
}
