/** The time for which the log keeps events about a message: a day longer than its row exists. */
import type { Limits } from "../../schemas/limits.ts"

type Bounds = Pick<Limits["limits"]["email"], "retention_seconds">

const LOGGED_LONGER_SECONDS = 86_400
/**
 * Added to the time of later commits, so that they outlive the first one. The bus may have stored the first one a
 * little later than the time in it.
 */
const LATER_SECONDS = 5

export const loggedSeconds = ({ retention_seconds }: Bounds): number => retention_seconds + LOGGED_LONGER_SECONDS

/** The time for a commit at `at` on a message that began at `began`, both Unix ms. */
export const leftSeconds = (began: number, at: number, bounds: Bounds): number =>
  Math.max(1, Math.ceil((began - at) / 1000) + loggedSeconds(bounds) + LATER_SECONDS)
