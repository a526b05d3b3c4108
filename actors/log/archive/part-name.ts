/** Names of the parts of segments (ending.ts). */
const WEEK_MS = 7 * 86_400_000
export const PART_PREFIX = "until-"
const UNTIL = /^until-(\d{11})-/

/** The end of the week (Unix ms) in which a commit ends. */
export const weekEndOf = (expires: number): number => Math.ceil(expires / WEEK_MS) * WEEK_MS

export interface PartName {
  /** Sequences of the segment that the part belongs to. */
  readonly first: number
  readonly last: number
  /** Unix ms, whole seconds. */
  readonly ends: number
  readonly sha256: string
}

/** The object name of a part. Names sort in the order of their ends. */
export const partName = ({ first, last, ends, sha256 }: PartName): string => {
  const [until, from, to] = [pad(ends / 1000, 11), pad(first, 16), pad(last, 16)]
  return `${PART_PREFIX}${until}-${from}-${to}-${sha256.slice(0, 16)}.zst`
}

const pad = (value: number, digits: number): string => String(value).padStart(digits, "0")

/** The time in a part's name at which its commits have ended (Unix ms); `null` if the name is not a part's. */
export const endIn = (name: string): number | null => {
  const until = UNTIL.exec(name)?.[1]
  return until === undefined ? null : Number(until) * 1000
}
