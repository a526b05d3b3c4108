import type { FiredTimer } from "../../schemas/timer.ts"

/** Longer than any command has. */
const COMMIT_WITHIN_MS = 300_000

/** True if the commit that set a timer for at once may still come; later it has failed. */
export const mayBeEarly = (fired: FiredTimer, at: number): boolean =>
  fired.at !== undefined && at - fired.at < COMMIT_WITHIN_MS
