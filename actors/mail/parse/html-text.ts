/** Makes the text of an HTML message by `html-to-text`: the visible text without images and link targets. */
import { convert, type DomNode, type FormatCallback, type HtmlToTextOptions } from "html-to-text"
import { withoutAbsent } from "../codes/html.ts"
import { type Cut, cutTo } from "./cut.ts"

const MAX_DEPTH = 60
const MAX_CHILDREN = 5000

/**
 * The largest span of a cell, and the most columns and rows of a table that is drawn as one. The library's time grows
 * with the square of a table's side.
 */
const MAX_SPAN = 20
const MAX_COLUMNS = 100
const MAX_ROWS = 1000

/**
 * The text has at most this many times the bytes of its HTML, or `SHORT_MAX_BYTES` if that is more. The text of usual
 * mail is shorter than its HTML. A drawn table can have 45 times its size, and nested lists and rules have five times.
 */
const EXPANSION_MAX = 2
const SHORT_MAX_BYTES = 4096

const GROUPS: ReadonlySet<string> = new Set(["thead", "tbody", "tfoot", "center"])

const tagsIn = ({ children = [] }: DomNode): ReadonlyArray<DomNode> => children.filter(({ type }) => type === "tag")

/** The rows of a table. As in the library, groups of rows may contain groups. */
const rowsOf = (elem: DomNode): ReadonlyArray<DomNode> =>
  tagsIn(elem).flatMap((one) => (one.name === "tr" ? [one] : GROUPS.has(one.name ?? "") ? rowsOf(one) : []))

const clamped = (span: unknown): number => Math.min(Math.max(Math.trunc(Number(span)) || 1, 1), MAX_SPAN)

/** Returns the number of columns of a row. Limits the spans of its cells as a side effect. */
const columnsOf = (row: DomNode): number =>
  tagsIn(row)
    .filter(({ name }) => name === "td" || name === "th")
    .reduce((columns, { attribs }) => {
      for (const name of ["colspan", "rowspan"]) if (name in attribs) attribs[name] = String(clamped(attribs[name]))
      return columns + clamped(attribs.colspan)
    }, 0)

type Builder = Parameters<FormatCallback>[2] & {
  readonly options: { readonly formatters: Readonly<Record<string, FormatCallback>> }
}

/** Draws a small table as a table, and writes a larger one row by row. */
const boundedTable: FormatCallback = (elem, walk, builder, options) => {
  const rows = rowsOf(elem)
  const columns = rows.reduce((most, row) => Math.max(most, columnsOf(row)), 0)
  const isSmall = rows.length <= MAX_ROWS && columns <= MAX_COLUMNS
  const { formatters } = (builder as Builder).options
  formatters[isSmall ? "dataTable" : "block"]?.(elem, walk, builder, options)
}

const optionsWith = (table: "boundedTable" | "block"): HtmlToTextOptions => ({
  wordwrap: false,
  limits: { maxDepth: MAX_DEPTH, maxChildNodes: MAX_CHILDREN, ellipsis: "…" },
  formatters: { boundedTable },
  selectors: [
    { selector: "a", options: { ignoreHref: true } },
    { selector: "img", format: "skip" },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: "table", format: table, options: { uppercaseHeaderCells: false, maxColumnWidth: 200 } },
    { selector: "tr", format: "block" },
    ...["td", "th"].map((selector) => ({ selector, format: "inlineSurround", options: { suffix: " " } }))
  ]
})

/** The text between the tags, if the converter fails. */
const stripped = (html: string): string =>
  html
    .split("<")
    .map((part, index) => (index === 0 ? part : part.slice(part.indexOf(">") + 1)))
    .join(" ")

const converted = (html: string, table: "boundedTable" | "block"): string => {
  try {
    return convert(html, optionsWith(table))
  } catch {
    return stripped(html)
  }
}

/**
 * Returns at most `maxBytes` of UTF-8, and not much more than the HTML has. If tables make the text too long, they are
 * written row by row. A text that is still too long is cut.
 */
export const textOfHtml = (html: string, maxBytes: number): Cut => {
  const seen = withoutAbsent(html)
  const ownMax = Math.max(SHORT_MAX_BYTES, EXPANSION_MAX * Buffer.byteLength(html))
  const drawn = converted(seen, "boundedTable")
  const text = Buffer.byteLength(drawn) > ownMax ? converted(seen, "block") : drawn
  return cutTo(text, Math.min(maxBytes, ownMax))
}
