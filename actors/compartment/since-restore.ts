/**
 * A compartment after a restore of the log. A browser may have opened a link since the backup, so links from before are
 * not valid any more. A host may have begun runs since the backup, so the next start gets a number that none of them
 * had.
 */
import { type CompartmentState, isThere } from "./state.ts"

/** A compartment starts fewer times between two backups. */
const SKIPPED_RUNS = 1000

/** `restoredAt`: Unix ms of the last restore. */
export const seenSince =
  (linkMs: number) =>
  (state: CompartmentState, restoredAt: number): CompartmentState => {
    if (!isThere(state)) return state
    const skipped = state.ordered_at > restoredAt ? 0 : SKIPPED_RUNS
    return {
      ...state,
      links: state.links.filter(({ until }) => until - linkMs > restoredAt),
      next_run: state.next_run + skipped
    }
  }
