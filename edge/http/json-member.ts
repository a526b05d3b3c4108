/** Finds a member of the outermost object in JSON bytes before they are parsed. One pass, without making any object. */

export interface Member {
  /** Position of the value's first byte, and of the byte after its last. */
  readonly from: number
  readonly to: number
  /** Levels of arrays and objects in the value. */
  readonly depth: number
}

const QUOTE = 34
const COMMA = 44
const COLON = 58
const BRACKET = 91
const BACKSLASH = 92
const BRACKET_END = 93
const BRACE = 123
const BRACE_END = 125

const isSpace = (byte: number | undefined): boolean => byte === 32 || byte === 9 || byte === 10 || byte === 13

/**
 * Finds a member's bytes. If several members have the name, the last one counts. `null` if there is none, or if the
 * bytes are not a JSON object, which the parser reports later.
 */
export const memberOf = (bytes: Buffer, name: string): Member | null => {
  let at = spaces(bytes, 0)
  if (bytes[at] !== BRACE) return null
  let found: Member | null = null
  do {
    const begin = spaces(bytes, at + 1)
    if (bytes[begin] !== QUOTE) return found
    const end = endOfText(bytes, begin)
    const colon = spaces(bytes, end)
    if (bytes[colon] !== COLON) return found
    const from = spaces(bytes, colon + 1)
    const value = valueFrom(bytes, from)
    if (value.to === from) return found
    if (isNamed(bytes.subarray(begin, end), name)) found = value
    at = spaces(bytes, value.to)
  } while (bytes[at] === COMMA)
  return found
}

const spaces = (bytes: Buffer, from: number): number => {
  let at = from
  while (isSpace(bytes[at])) at++
  return at
}

/** Position after the closing quote, or the end of the bytes. */
const endOfText = (bytes: Buffer, begin: number): number => {
  for (let at = begin + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++
    else if (bytes[at] === QUOTE) return at + 1
  }
  return bytes.length
}

const isNamed = (spelled: Buffer, name: string): boolean => {
  if (!spelled.includes(BACKSLASH)) return spelled.length === name.length + 2 && spelled.toString() === `"${name}"`
  try {
    return JSON.parse(spelled.toString()) === name
  } catch {
    return false
  }
}

const valueFrom = (bytes: Buffer, from: number): Member => {
  let level = 0
  let depth = 0
  let at = from
  for (; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfText(bytes, at) - 1
    else if (byte === BRACE || byte === BRACKET) depth = Math.max(depth, ++level)
    else if (byte === BRACE_END || byte === BRACKET_END) {
      if (level === 0) break
      level--
    } else if (level === 0 && (byte === COMMA || isSpace(byte))) break
    else continue
    if (level === 0) {
      at++
      break
    }
  }
  return { from, to: Math.min(at, bytes.length), depth }
}
