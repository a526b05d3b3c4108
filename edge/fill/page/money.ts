/** Runs in the page: collects texts that may name the sum to be paid. They are interpreted outside of the page. */
import type { PageDocument, PageElement } from "./dom.ts"
import { everything, nearest } from "./look.ts"
import { known } from "./scan.ts"

declare const document: PageDocument

const LINE_MAX_CHARS = 120
const LINES_MAX = 80
const ROW_LEVELS_UP = 3

function isShownText(element: PageElement): boolean {
  return element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
}

const lineText = (element: PageElement): string => (element.textContent ?? "").replace(/\s+/g, " ").trim()

/** The row of an amount: the widest surrounding element that is still one line. */
function lineOf(element: PageElement): string {
  let line = lineText(element)
  let at = element.parentElement
  for (let up = 0; at !== null && up < ROW_LEVELS_UP; up++) {
    const wider = lineText(at)
    if (wider.length > LINE_MAX_CHARS) break
    line = wider
    if (at.matches("tr, li, dl, p, [role=row]")) break
    at = at.parentElement
  }
  return line
}

export interface Lines {
  readonly lines: ReadonlyArray<string>
}

/** Lines with a digit and a currency, from the dialog around field `n` or from the whole page. */
export function moneyLines(n: number | null): Lines {
  const field = n === null ? undefined : known[n]
  const dialog = field === undefined ? null : nearest(field, 'dialog, [role="dialog"]')
  const all = dialog === null ? everything(document) : [...dialog.querySelectorAll("*")]
  const leaves = all.filter((element) => {
    if (element.matches("script, style, option, input, select, noscript, template")) return false
    const own = lineText(element)
    if (own.length > LINE_MAX_CHARS || !/\d/.test(own) || !/\p{Sc}|[A-Z]{3}|kr|zł|元|円/u.test(own)) return false
    return isShownText(element)
  })
  return { lines: [...new Set(leaves.map(lineOf))].slice(0, LINES_MAX) }
}
