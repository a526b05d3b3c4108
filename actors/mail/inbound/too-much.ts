/**
 * Messages whose judgement would hold up everybody else: the library reads them on the loop that receives mail, some
 * shapes in time that grows with their square, and the whole body once for each signature. Pure.
 */

/** Of a header; whatever grows with its square in it is still quick. */
const HEADER_MAX_BYTES = 65_536
const BLANKS_MAX = 1000
const HEADER_END = /^\r?\n|\n\r?\n/
/** Also with its colon on the next line, as the library knows it. */
const SIGNATURE = /^dkim-signature[ \t\r\n]*:/gim
/** Of all signatures together. */
const HASHED_MAX_BYTES = 33_554_432
/** RFC 5322 has lines of 998 bytes, each ended by CR and LF. */
const LINE_MAX_BYTES = 1_048_576
const BARE_ENDS_MAX = 262_144

const LF = 0x0a
const CR = 0x0d

const hasWildLines = (raw: Buffer): boolean => {
  let bare = 0
  let begin = 0
  for (let end = raw.indexOf(LF); end >= 0; end = raw.indexOf(LF, begin)) {
    if (raw[end - 1] !== CR && ++bare > BARE_ENDS_MAX) return true
    if (end - begin > LINE_MAX_BYTES) return true
    begin = end + 1
  }
  return raw.length - begin > LINE_MAX_BYTES
}

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
  const header = begin.slice(0, end?.index)
  const signatures = header.match(SIGNATURE)?.length ?? 0
  return hasLongBlank(header) || signatures * raw.length > HASHED_MAX_BYTES || hasWildLines(raw)
}
