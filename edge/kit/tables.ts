/**
 * Tables of markdown. Each is in a separate group, which scrolls on narrow pages and can be reached by keyboard. Their
 * size is bounded, because a short row is filled up to the number of the table's columns.
 */
import type { MarkdownIt, StateBlock } from "markdown-it"

export const WIDE_BEGIN = '<div class="wide" role="group" aria-label="Table" tabindex="0">'
export const WIDE_END = "</div>"

export const wideTables = (markdown: MarkdownIt): MarkdownIt => {
  markdown.renderer.rules["table_open"] = () => `${WIDE_BEGIN}<table>\n`
  markdown.renderer.rules["table_close"] = () => `</table>${WIDE_END}\n`
  // markdown-it writes a column's alignment as a style attribute, which the pages' policy forbids.
  markdown.core.ruler.push("aligned_cells", ({ tokens }) => {
    for (const token of tokens) {
      if (token.type !== "th_open" && token.type !== "td_open") continue
      const alignment = /^text-align:(left|center|right)$/.exec(String(token.attrGet("style") ?? ""))?.[1]
      token.attrs = alignment === undefined ? null : [["class", alignment]]
    }
  })
  return markdown
}

const CELLS_LEFT = "cells_left"

/** The `env` for rendering a text whose tables together have at most `max` cells. */
export const cellsOfText = (max: number): Record<string, unknown> => ({ [CELLS_LEFT]: max })

const PIPE = "|"

/** An upper bound for the cells of a table that may begin here. Its rows end at an empty line, or before. */
const cellsAt = (state: StateBlock, begin: number, end: number, max: number): number => {
  const delimiters = state.src.slice(state.bMarks[begin + 1], state.eMarks[begin + 1]).trim()
  const columns =
    delimiters.split(PIPE).length - Number(delimiters.startsWith(PIPE)) - Number(delimiters.endsWith(PIPE))
  let cells = columns
  for (let line = begin + 2; line < end && !state.isEmpty(line) && cells <= max; line++) cells += columns
  return cells
}

/**
 * After a table that is too large, it and later text that looks like tables become paragraphs, so that nothing is
 * counted twice.
 */
export const boundedTables = (markdown: MarkdownIt): MarkdownIt => {
  const { ruler } = markdown.block
  const all = ruler.getRules("")
  ruler.disable("table")
  const table = all.find((rule) => !ruler.getRules("").includes(rule))
  if (table === undefined) throw new Error("The parser of markdown has no tables")
  const bounded: typeof table = (state, begin, end, silent) => {
    const env = state.env as Record<string, unknown>
    const left = Number(env[CELLS_LEFT] ?? 0)
    if (left <= 0 || !table(state, begin, end, true)) return false
    if (silent) return true
    const cells = cellsAt(state, begin, end, left)
    env[CELLS_LEFT] = left - cells
    return cells <= left && table(state, begin, end, false)
  }
  ruler.at("table", bounded, { alt: ["paragraph", "reference"] })
  ruler.enable("table")
  return markdown
}
