/**
 * Detects messages for which the judging library needs far more time than for others of their size. With few bytes, a
 * stranger could use up the whole CPU time of a message. Other slow messages end with their thread (parse/thread.ts).
 * Pure.
 *
 *  - Work on the header grows with the square of its size.
 *  - Each signature has the header hashed once more.
 *  - A signature with the tag `l=` has the body hashed for itself. All others share one hash for each algorithm.
 */

/** The longest header that is judged. Work that grows with its square is still quick. */
const HEADER_MAX_BYTES = 65_536
const BLANKS_MAX = 1000
/** Signatures of DKIM and ARC. A message that was forwarded several times has about ten. */
const SIGNATURES_MAX = 32
/** Signatures of a part of the body. They are never enough for a PASS (contract 22). */
const PARTIAL_MAX = 2
const HEADER_END = /^\r?\n|\n\r?\n/
/** Blanks may precede the colon, as for the library. */
const SIGNATURE = /^(?:dkim-signature|arc-message-signature|arc-seal)[ \t]*:/i
const PARTIAL = /[:;]\s*l\s*=/i

const hasLongBlank = (header: string): boolean => {
  let blanks = 0
  for (const char of header) {
    blanks = char === " " || char === "\t" || char === "\r" || char === "\n" ? blanks + 1 : 0
    if (blanks > BLANKS_MAX) return true
  }
  return false
}

/** A folded field continues on lines that begin with a blank. */
const fieldsIn = (header: string): ReadonlyArray<string> => header.split(/\r?\n(?![ \t])/)

export const isTooMuchToJudge = (raw: Buffer): boolean => {
  const begin = raw.subarray(0, HEADER_MAX_BYTES).toString("latin1")
  const end = HEADER_END.exec(begin)
  if (end === null && raw.length > HEADER_MAX_BYTES) return true
  const header = begin.slice(0, end?.index)
  if (hasLongBlank(header)) return true
  const signatures = fieldsIn(header).filter((field) => SIGNATURE.test(field))
  return signatures.length > SIGNATURES_MAX || signatures.filter((field) => PARTIAL.test(field)).length > PARTIAL_MAX
}
