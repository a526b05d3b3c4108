/**
 * Counts levels and members of JSON bytes before they are parsed. It passes over the bytes once and skips strings.
 * Bytes that are not JSON are left to the parser.
 */

/** Levels of arrays and objects. They are bounded because a parsed value is later walked and written again. */
export const JSON_DEPTH_MAX = 64
/** The most members of objects and elements of arrays together, and the most members of one object. */
export const JSON_MEMBERS_MAX = 20_000
export const JSON_OBJECT_MEMBERS_MAX = 1_000

export interface JsonShape {
  /** The bound that the body breaks, if any. */
  readonly beyond: "depth" | "members" | null
  /** True if an object may have a member named `__proto__`: in plain text, or in a name with escapes. */
  readonly suspect: boolean
  /**
   * Names of the outermost object's members as written, with their quotes. A name that occurs twice is listed twice.
   */
  readonly names: ReadonlyArray<string>
}

const QUOTE = 34
const COMMA = 44
const BRACKET = 91
const BACKSLASH = 92
const BRACKET_END = 93
const BRACE = 123
const BRACE_END = 125
const PROTO = Buffer.from('"__proto__"')

/** Scans `bytes` as UTF-8, in which no later byte of a character equals one of JSON's marks. */
export const scanJson = (bytes: Buffer): JsonShape => {
  const names: Array<string> = []
  /** The number of members of each open object; -1 for an array. */
  const open: Array<number> = []
  let members = 0
  let suspect = false
  let nameNext = false
  for (let at = 0; at < bytes.length; at++) {
    const mark = bytes[at]
    if (mark === QUOTE) {
      const end = endOfText(bytes, at)
      if (nameNext) {
        nameNext = false
        const name = bytes.subarray(at, end + 1)
        if (name.includes(BACKSLASH) || name.equals(PROTO)) suspect = true
        if (open.length === 1) names.push(name.toString("utf8"))
      }
      at = end
    } else if (mark === BRACE || mark === BRACKET) {
      if (open.length === JSON_DEPTH_MAX) return { beyond: "depth", suspect, names }
      // An array or object counts one for its first member, which may be missing.
      if (++members > JSON_MEMBERS_MAX) return { beyond: "members", suspect, names }
      open.push(mark === BRACE ? 1 : -1)
      nameNext = mark === BRACE
    } else if (mark === BRACE_END || mark === BRACKET_END) {
      open.pop()
      nameNext = false
    } else if (mark === COMMA) {
      const inner = open.length - 1
      const ofObject = open[inner] ?? -1
      nameNext = ofObject !== -1
      if (++members > JSON_MEMBERS_MAX || ofObject === JSON_OBJECT_MEMBERS_MAX)
        return { beyond: "members", suspect, names }
      if (nameNext) open[inner] = ofObject + 1
    }
  }
  return { beyond: null, suspect, names }
}

/**
 * Position of a string's closing quote, or the number of bytes if there is none. It looks at each byte at most twice,
 * because the runs before quotes do not overlap.
 */
const endOfText = (bytes: Buffer, begin: number): number => {
  let end = begin
  for (;;) {
    end = bytes.indexOf(QUOTE, end + 1)
    if (end === -1) return bytes.length
    let backslashes = 0
    while (bytes[end - 1 - backslashes] === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
}
