/**
 * Processor time of a piece of work. Time that other processes take does not count.
 *
 * Tests compare the cost of an input with the cost of a part of it. The ratio is the same on every machine. The time
 * itself is a figure of `npm run bench -- --only stalls`, which runs the same inputs.
 */

/** Work whose cost depends on the length of an input. */
export interface Costly {
  readonly name: string
  /** The length of the whole input. */
  readonly length: number
  /** Makes an input of that length. Calling the result does the work, whose cost is measured. */
  readonly prepare: (length: number) => () => unknown
}

/** The most milliseconds for which an edge's only thread may be blocked (contract 21). */
export const STALL_MAX_MS = 50
/** The part of an input is this many times shorter than the whole. */
const PARTS = 8
/** Linear work on an input that is 8 times as long takes 8 times as long. Quadratic work takes 64 times as long. */
export const GROWTH_MAX = 32
/** A smaller figure depends more on garbage collection than on the work. */
const MEASURABLE_MS = 5
const PART_TRIES = 3
const TRIES = 5
/**
 * Only work that hangs takes this much processor time. The most costly input, fifty long texts, takes two seconds, and
 * ten times as much on a slow machine.
 */
export const HANG_CPU_MS = 60_000

const since = (began: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1000
}

/** Processor time of the work in milliseconds, including all threads of this process. */
export const cpuMsOf = async (work: () => unknown): Promise<number> => {
  const began = process.cpuUsage()
  await work()
  return since(began)
}

/** The least cost of several tries: other work on the machine can only make a try more costly. */
export const leastOf = async (tries: number, cost: () => number | Promise<number>): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let n = 0; n < tries; n++) least = Math.min(least, await cost())
  return least
}

/** The cost of the whole, divided by the cost of its part. Stops at the first try that is below `GROWTH_MAX`. */
export const growth = async (
  whole: () => number | Promise<number>,
  part: () => number | Promise<number>,
  measurableMs = MEASURABLE_MS
): Promise<number> => {
  const least = Math.max(measurableMs, await leastOf(PART_TRIES, part))
  let ratio = Number.POSITIVE_INFINITY
  for (let n = 0; n < TRIES && ratio >= GROWTH_MAX; n++) ratio = Math.min(ratio, (await whole()) / least)
  return ratio
}

/** The cost of the work on the whole input, divided by its cost on an eighth of it. */
export const growthOf = ({ length, prepare }: Costly): Promise<number> => {
  const [whole, part] = [prepare(length), prepare(Math.floor(length / PARTS))]
  return growth(
    () => cpuMsOf(whole),
    () => cpuMsOf(part)
  )
}

/** The longest processor time, in milliseconds, during which no other work of this process could run. */
export const longestStretch = async (work: () => unknown): Promise<number> => {
  let longest = 0
  let under = true
  let began = process.cpuUsage()
  const look = (): void => {
    longest = Math.max(longest, since(began))
    began = process.cpuUsage()
    if (under) setImmediate(look)
  }
  look()
  await work()
  under = false
  return Math.max(longest, since(began))
}

/** Counts how often other work of this process could run during this work. */
export const turnsDuring = async (work: () => unknown): Promise<number> => {
  let turns = 0
  let under = true
  const turn = (): void => {
    turns++
    if (under) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  under = false
  return turns
}
