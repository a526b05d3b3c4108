/**
 * Detects headers for which the judging library needs quadratic time. A few bytes by a stranger would use up all of a
 * message's time. Other slow messages end with their thread (parse/thread.ts). Pure.
 */

/** The longest header that is judged. Work that grows with its square is still quick. */
const HEADER_MAX_BYTES = 65_536
const BLANKS_MAX = 1000
const HEADER_END = /^\r?\n|\n\r?\n/

const hasLongBlank = (header: string): boolean => {
  let blanks = 0
  for (const char of header) {
    blanks = char === " " || char === "\t" || char === "\r" || char === "\n" ? blanks + 1 : 0
    if (blanks > BLANKS_MAX) return true
  }
  return false
}

export const isTooMuchToJudge = (raw: Buffer): boolean => {
  const begin = raw.subarray(0, HEADER_MAX_BYTES).toString("latin1")
  const end = HEADER_END.exec(begin)
  if (end === null && raw.length > HEADER_MAX_BYTES) return true
  return hasLongBlank(begin.slice(0, end?.index))
}
