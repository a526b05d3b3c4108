/**
 * The commits of a segment that have an end (a TTL of the log), in objects of their own beside the segment: its parts.
 * A part holds the commits of one segment that end within the same week. It is removed as a whole when that week is
 * over, so that nothing is ever rewritten.
 *
 * Invariants
 *  - The name of a part says when it is removed. So the removal needs no list: it can end at any point, can be repeated,
 *    and also finds parts of a segment that was never indexed or marked, and files that a killed `put` has left.
 *  - Readers leave out a commit from its end on. They stop reading a part some time before it is removed, so that no
 *    reader misses a part that it needs.
 *  - A part is stored before its segment. The footer of the segment states the hash of each part (segment.ts), so the
 *    mark fixes the parts too. A part that is missing or damaged before its time is an error.
 */
import type { Clock } from "effect"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { wallMs } from "../../../schemas/runtime/clock.ts"
import type { Objects } from "./objects.ts"
import type { ObjectReader } from "./segment.ts"

const WEEK_MS = 7 * 86_400_000
/** A reader may have begun to read a part right before its week was over. */
const READ_MS = 1_800_000
/** Twice as long, because the clocks of two machines differ. */
const REMOVED_MS = 2 * READ_MS
/** Objects that one run removes. The next run goes on. */
const REMOVED_MAX = 1000
const PREFIX = "until-"
const UNTIL = /^until-(\d{11})-/

/** The end of the week (Unix ms) in which a commit ends. */
export const weekEndOf = (expires: number): number => Math.ceil(expires / WEEK_MS) * WEEK_MS

export interface PartName {
  /** Sequences of the segment that the part belongs to. */
  readonly first: number
  readonly last: number
  /** Unix ms, whole seconds. */
  readonly ends: number
  /** The hash of the part. */
  readonly sha256: string
}

/** The object name of a part. Names sort in the order of their ends. */
export const partName = ({ first, last, ends, sha256 }: PartName): string => {
  const [until, from, to] = [pad(ends / 1000, 11), pad(first, 16), pad(last, 16)]
  return `${PREFIX}${until}-${from}-${to}-${sha256.slice(0, 16)}.zst`
}

const pad = (value: number, digits: number): string => String(value).padStart(digits, "0")

/** Opens the parts of segments. */
export interface Parts {
  /** True if every commit of a part with this end (Unix ms) is over, and the part may be gone. */
  readonly areOver: (ends: number) => boolean
  readonly open: (name: string) => Promise<ObjectReader>
}

export const partsIn = (objects: Objects, clock: Clock.Clock): Parts => ({
  areOver: (ends) => ends + READ_MS <= wallMs(clock),
  open: (name) => objects.open(name)
})

/** Removes parts whose time is over, the oldest first. Resolves to how many were removed. `now`: Unix ms. */
export const removeEnded = async (objects: Objects, now: number): Promise<number> => {
  const names = await objects.list(PREFIX)
  let removed = 0
  for (const name of names) {
    const until = UNTIL.exec(name)?.[1]
    if (until === undefined || Number(until) * 1000 + REMOVED_MS > now) continue
    if (removed === REMOVED_MAX) break
    await objects.remove(name)
    removed++
  }
  if (removed > 0) logNow("info", "archive", { removed })
  return removed
}
