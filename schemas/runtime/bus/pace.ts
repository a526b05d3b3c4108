/**
 * Paces a flush: at once where the last one is a while ago, else `gapMs` after it. What comes meanwhile leaves
 * together. A lone message waits for nothing; under load there are fewer and larger ones, and each costs a system call
 * on both sides and in the server between.
 */
export const paced = (flush: () => void, gapMs: number): (() => void) => {
  let scheduled = false
  let last = Number.NEGATIVE_INFINITY
  const run = (): void => {
    scheduled = false
    last = performance.now()
    flush()
  }
  return () => {
    if (scheduled) return
    scheduled = true
    if (performance.now() - last >= gapMs) setImmediate(run)
    else setTimeout(run, gapMs)
  }
}
