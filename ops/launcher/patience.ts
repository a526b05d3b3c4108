/** The share of a wait that one look may use up. */
const STEP_SHARE = 0.1

/**
 * A bound on a wait that looks again and again. Returns a function that tells whether the wait has lasted `ms`. Between
 * two calls at most a tenth of it counts: while the machine was paused, or its clock was set, nobody could look. `clock`:
 * monotonic ms.
 */
export const patience = (ms: number, clock = (): number => performance.now()): (() => boolean) => {
  const stepMs = ms * STEP_SHARE
  let waited = 0
  let last = clock()
  return () => {
    const now = clock()
    waited += Math.min(now - last, stepMs)
    last = now
    return waited >= ms
  }
}
