/** A longer time between two looks is a pause, unless the wait itself is so long that this is a small part of it. */
const LOOK_MAX_MS = 30_000
const PAUSE_SHARE = 0.1

/**
 * Returns a function that tells whether somebody who looks for a thing again and again has waited for `ms`. It is to be
 * asked after each look. While the machine was paused nobody could look, so a pause of any length counts as one long
 * look. `clock`: monotonic ms.
 */
export const patience = (ms: number, clock = (): number => performance.now()): (() => boolean) => {
  const lookMaxMs = Math.max(LOOK_MAX_MS, ms * PAUSE_SHARE)
  let waited = 0
  let last = clock()
  return () => {
    const now = clock()
    waited += Math.min(now - last, lookMaxMs)
    last = now
    return waited >= ms
  }
}
