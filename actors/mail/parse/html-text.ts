/** The text of an HTML message, by `html-to-text`: what a reader sees, without what images and links carry. */
import { convert } from "html-to-text"

const MAX_DEPTH = 60
const MAX_CHILDREN = 5000

const OPTIONS = {
  wordwrap: false,
  limits: { maxDepth: MAX_DEPTH, maxChildNodes: MAX_CHILDREN, ellipsis: "…" },
  selectors: [
    { selector: "a", options: { ignoreHref: true } },
    { selector: "img", format: "skip" },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: "table", format: "dataTable", options: { uppercaseHeaderCells: false, maxColumnWidth: 200 } }
  ]
} as const

/** Where the converter gives up: what stands between the marks. */
const stripped = (html: string): string =>
  html
    .split("<")
    .map((part, index) => (index === 0 ? part : part.slice(part.indexOf(">") + 1)))
    .join(" ")

export const textOfHtml = (html: string): string => {
  try {
    return convert(html, { ...OPTIONS, selectors: [...OPTIONS.selectors] })
  } catch {
    return stripped(html)
  }
}
