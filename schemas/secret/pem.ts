/** Private keys in PEM (RFC 7468), OpenSSH's and PGP's text forms, also as a string of a program or of JSON. */
import { isPlaceholder } from "./placeholder.ts"
import { BASE64, stretchesOf } from "./shape.ts"

const BEGIN = "-----BEGIN "
const MARK = 5
const NAME_MAX = 60
/** The most characters between the first line and the key: headers of an encrypted key, or a comment of PGP. */
const LOOKED_AT = 600

const NAME_END = /^(?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/
/** Line ends within a string of a program. */
const ESCAPED = /\\[nrt]/g
/** The least length of a line of base64. Every format has longer lines. */
const LINE_MIN = 40

const bodyFrom = (text: string, at: number): boolean => {
  const looked = text.slice(at, at + LOOKED_AT)
  const end = looked.indexOf("-----")
  const lines = (end === -1 ? looked : looked.slice(0, end)).replaceAll(ESCAPED, " ")
  return [...stretchesOf(lines, BASE64, LINE_MIN)].some(
    (line) => !isPlaceholder({ body: lines.slice(line.at, line.end), joins: false })
  )
}

/** `at` is the beginning of a word. */
export const isPrivateKeyAt = (text: string, at: number): boolean => {
  if (!text.startsWith("BEGIN ", at) || !text.startsWith(BEGIN, at - MARK)) return false
  const from = at - MARK + BEGIN.length
  const name = NAME_END.exec(text.slice(from, from + NAME_MAX))?.[0]
  return name !== undefined && bodyFrom(text, from + name.length)
}
