/**
 * Makes the excerpt that lists show of a text: its beginning on one line, without the marks of markdown (contract
 * "Common").
 */
import Markdown, { type Token } from "markdown-it"

export const EXCERPT_MAX_CHARS = 280
/** The number of characters that are read, because markup and addresses may be most of a text's beginning. */
const LOOKED_AT_CHARS = 2000
/** The characters that an excerpt needs: one more than it reads, to detect that the text goes on. */
export const EXCERPT_READ_CHARS = LOOKED_AT_CHARS + 1
/** The number of costly markdown marks that are parsed. The text after them is not read. */
const MARKS_MAX = 120
const MARKS: ReadonlySet<string> = new Set("[]!*_`~<>&\\|#")
const NESTING_MAX = 20

const markdown = new Markdown({ html: false, linkify: false, maxNesting: NESTING_MAX }).disable(["table"])

const lookedAt = (body: string): string => {
  let marks = 0
  for (let at = 0; at < body.length && at < LOOKED_AT_CHARS; at++)
    if (MARKS.has(body.charAt(at)) && ++marks > MARKS_MAX) return body.slice(0, at)
  return body.slice(0, LOOKED_AT_CHARS)
}

const wordsOf = (beginning: string): string =>
  plain(markdown.parse(beginning.toWellFormed(), {})).join("").replaceAll(/\s+/gu, " ").trim()

export const plainOf = (part: string): string => wordsOf(lookedAt(part))

/** Cuts by code points. A text that is cut ends with an ellipsis. `isWhole`: nothing follows these words. */
const cut = (words: string, isWhole: boolean): string => {
  const points = [...words]
  if (points.length <= EXCERPT_MAX_CHARS && isWhole) return words
  return `${points
    .slice(0, EXCERPT_MAX_CHARS - 1)
    .join("")
    .trimEnd()}…`
}

export const excerptOf = (body: string): string => {
  const beginning = lookedAt(body)
  return cut(wordsOf(beginning), beginning.length === body.length)
}

/** The excerpt of plain text, which may contain any characters. */
export const plainExcerptOf = (text: string): string => {
  const beginning = text.slice(0, LOOKED_AT_CHARS)
  return cut(beginning.toWellFormed().replaceAll(/\s+/gu, " ").trim(), beginning.length === text.length)
}

/** Puts a space after each block. */
const plain = (tokens: ReadonlyArray<Token>): ReadonlyArray<string> =>
  tokens.map(({ type, content, children }) => {
    if (type === "inline") return `${inline(children ?? []).join("")} `
    return type === "code_block" || type === "fence" ? `${content} ` : ""
  })

const inline = (tokens: ReadonlyArray<Token>): ReadonlyArray<string> =>
  tokens.map(({ type, content, children }) => {
    if (type === "text" || type === "code_inline") return content
    if (type === "softbreak" || type === "hardbreak") return " "
    return children === null ? "" : inline(children).join("")
  })
