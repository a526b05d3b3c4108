import type { FiredTimer } from "../../schemas/timer.ts"

/** Longer than any command takes to be committed. */
const COMMIT_WITHIN_MS = 300_000

/**
 * True if a timer that was set to fire immediately may have fired before its commit was written. After this time the
 * commit has failed.
 */
export const mayBeEarly = (fired: FiredTimer, at: number): boolean =>
  fired.at !== undefined && at - fired.at < COMMIT_WITHIN_MS
