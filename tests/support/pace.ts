/**
 * Bounds on processor time, on machines of whatever pace. A bound is set for a quiet machine on which a fixed piece of
 * work takes so long; where that work takes longer, so may everything.
 */

/** Of the fixed work, on the machine on which the bounds were set. */
const QUIET_MS = 12

const TEXT = `a & b "c" <d> \u0001\r`.repeat(6_000)

/** What laying out texts consists of: looking, replacing, joining. */
const fixedWork = (): number => {
  let length = 0
  for (let round = 0; round < 2; round++) {
    const escaped = TEXT.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`)
    length += JSON.stringify(escaped.split(" ").map((word) => word.trim())).length
  }
  return length
}

/** Processor time, in ms: what other processes take does not count, but that they share caches and cores does. */
export const cpuMsOf = (work: () => unknown): number => {
  const began = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000
}

/** How many times as long as on that machine things take now: 1 at least. */
const pace = (): number => Math.max(1, Math.min(...[1, 2, 3].map(() => cpuMsOf(fixedWork))) / QUIET_MS)

/** Whether one of a few tries stays below `quietMs` at the pace of its moment. The smallest excess, as a factor, is told. */
export const leastExcess = async (
  tries: number,
  quietMs: number,
  cost: () => number | Promise<number>
): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < tries && least >= 1; n++) {
    const before = pace()
    const ms = await cost()
    least = Math.min(least, ms / (quietMs * Math.max(before, pace())))
  }
  return least
}
