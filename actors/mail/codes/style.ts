/**
 * Reads inline styles, a few attributes and simple rules of a style sheet. It finds out if an element's text is visible
 * and emphasized. Rules for some screens only (`@media`) are ignored.
 */

export interface Style {
  /** The element is not displayed. */
  readonly gone: boolean
  /** The element has no size, is almost transparent, or lies off the screen. This holds for its children too. */
  readonly shut: boolean
  /** The font size is about zero. A child may have another one, as around pictures. */
  readonly tiny: boolean
  /** The number of closed `details` around the element. A reader must open them first. */
  readonly folds: number
  readonly level: 0 | 1 | 2
  readonly color: string
  /** Empty if the color is not known, as for a picture. */
  readonly background: string
}

export const PLAIN: Style = {
  gone: false,
  shut: false,
  tiny: false,
  folds: 0,
  level: 0,
  color: "#000000",
  background: "#ffffff"
}

/**
 * True if no reader ever sees the element. Colors do not count: the background may be a picture, or follow from a rule
 * that is not understood.
 */
export const isAbsent = ({ gone, shut, tiny }: Style): boolean => gone || shut || tiny

/** True if a reader does not see the element's text: it is absent, folded, or of the same color as its background. */
export const isUnseen = (style: Style): boolean => {
  const { folds, color, background } = style
  return isAbsent(style) || folds > 0 || color === "transparent" || (color !== "" && color === background)
}

type Declarations = ReadonlyMap<string, string>
/** Declarations by selector: `name`, `.class` or `name.class`. */
export type Sheet = Map<string, Map<string, string>>

const STYLE_MAX_CHARS = 4000
/** The most declarations of one rule, or of one element. */
const DECLARATIONS_MAX = 60
const SHEET_MAX_RULES = 2000
const SELECTORS_MAX = 50
const CLASSES_MAX = 20
const TINY_PX = 1.5
const FAINT_OPACITY = 0.05
/** An offset beyond the width of any screen. */
const AWAY_PX = -900
const LARGE_PX = 19
const WIDE_PX = 2
const BOLD = 600

const declarationsOf = (text: string): Declarations => {
  const found = new Map<string, string>()
  for (const part of text.slice(0, STYLE_MAX_CHARS).toLowerCase().split(";", DECLARATIONS_MAX)) {
    const colon = part.indexOf(":")
    if (colon > 0)
      found.set(
        part.slice(0, colon).trim(),
        part
          .slice(colon + 1)
          .replace("!important", "")
          .trim()
      )
  }
  return found
}

const addRule = (sheet: Sheet, selector: string, declarations: Declarations): void => {
  const rule = sheet.get(selector) ?? new Map<string, string>()
  for (const [name, value] of declarations) if (rule.size < DECLARATIONS_MAX) rule.set(name, value)
  sheet.set(selector, rule)
}

/** Adds the rules at the top level. Rules within `@media` are skipped, and only simple selectors are read. */
export const addRules = (sheet: Sheet, css: string): void => {
  let depth = 0
  let from = 0
  let selector = ""
  for (let at = 0; at < css.length && sheet.size < SHEET_MAX_RULES; at++) {
    if (css[at] === "{") {
      if (depth === 0) selector = css.slice(from, at).trim().toLowerCase()
      depth++
      from = at + 1
    } else if (css[at] === "}") {
      if (depth === 1 && !selector.startsWith("@")) {
        const declarations = declarationsOf(css.slice(from, at))
        for (const one of selector.split(",", SELECTORS_MAX)) addRule(sheet, one.trim(), declarations)
      }
      depth = Math.max(0, depth - 1)
      from = at + 1
    }
  }
}

const NAMED: Readonly<Record<string, string>> = {
  white: "#ffffff",
  black: "#000000",
  snow: "#fffafa",
  whitesmoke: "#f5f5f5"
}
const SHORT_HEX = /^#[0-9a-f]{3}$/
const LONG_HEX = /^#[0-9a-f]{6}/
const RGB = /^rgba?\(([0-9., ]{5,40})\)$/

const hex = (value: number): string => Math.max(0, Math.min(255, value)).toString(16).padStart(2, "0")

/** `#rrggbb`, `transparent`, or empty if the color is not understood. */
const colorOf = (text: string): string => {
  const word = text.trim()
  if (SHORT_HEX.test(word)) return `#${Array.from(word.slice(1), (char) => char + char).join("")}`
  const long = LONG_HEX.exec(word)
  if (long !== null) return long[0]
  const parts = RGB.exec(word)?.[1]?.split(",").map(Number)
  if (parts !== undefined) return parts[3] === 0 ? "transparent" : `#${parts.slice(0, 3).map(hex).join("")}`
  return word === "transparent" ? word : (NAMED[word] ?? "")
}

const backgroundOf = (own: Declarations, attribute: string | undefined): string | null => {
  const text = own.get("background-color") ?? own.get("background") ?? attribute?.toLowerCase()
  if (text === undefined) return null
  if (text.includes("url(") || text.includes("gradient")) return ""
  const color = colorOf(own.has("background-color") ? text : (text.split(" ")[0] ?? ""))
  return color === "transparent" || text === "none" || text === "inherit" ? null : color
}

/** An approximate number of pixels; `null` if the text does not begin with a number. */
const pixels = (text: string | undefined): number | null => {
  const value = Number.parseFloat(text ?? "")
  if (!Number.isFinite(value)) return null
  if (text?.endsWith("em") === true) return value * 16
  if (text?.endsWith("pt") === true) return value * 1.33
  if (text?.endsWith("%") === true) return value * 0.16
  return value
}

const STRONG = new Set(["b", "strong", "code", "kbd", "mark", "samp", "th", "h4"])
const LARGE = new Set(["h1", "h2", "h3", "big"])

const levelOf = (name: string, own: Declarations, attributes: Attributes, before: 0 | 1 | 2): 0 | 1 | 2 => {
  const size = pixels(own.get("font-size"))
  const spacing = pixels(own.get("letter-spacing"))
  const font = Number(name === "font" ? attributes["size"] : 0)
  if (LARGE.has(name) || font >= 4 || (size ?? 0) >= LARGE_PX || (spacing ?? 0) >= WIDE_PX) return 2
  const weight = own.get("font-weight") ?? ""
  const bold = weight === "bold" || weight === "bolder" || Number(weight) >= BOLD
  const small: 0 | 1 | 2 = size === null || before < 2 ? before : 1
  return small === 0 && (bold || STRONG.has(name)) ? 1 : small
}

const isGone = (own: Declarations, attributes: Attributes): boolean =>
  own.get("display") === "none" ||
  own.get("visibility") === "hidden" ||
  own.get("mso-hide") === "all" ||
  Object.hasOwn(attributes, "hidden")

const isBelow = (own: Declarations, names: ReadonlyArray<string>, max: number): boolean =>
  names.some((name) => (pixels(own.get(name)) ?? Number.POSITIVE_INFINITY) <= max)

const CLIPPED = /^rect\((?:0(?:px)?[, ]*){4}\)$/
const CLIPPED_PATH = /^inset\((?:50|100)%/
const MOVED = /scale\(0(?:\.0{0,9})?\)|translate[xy]?\(-\d{3}/

/** True if the element is positioned off the screen, or clipped. */
const isAway = (own: Declarations): boolean => {
  const isMoved =
    (own.get("position") ?? "static") !== "static" && isBelow(own, ["left", "right", "top", "bottom"], AWAY_PX)
  const isIndented = isBelow(own, ["text-indent", "margin-left", "margin-top"], AWAY_PX)
  const isClipped = CLIPPED.test(own.get("clip") ?? "") || CLIPPED_PATH.test(own.get("clip-path") ?? "")
  return isMoved || isIndented || isClipped || MOVED.test(own.get("transform") ?? "")
}

/** True if the length is about zero. An unknown length counts as large. */
const isNarrow = (text: string | undefined): boolean => {
  const size = pixels(text)
  return size !== null && size <= (text?.endsWith("%") === true ? 0 : TINY_PX)
}

const hasNoRoom = (own: Declarations): boolean =>
  Number.parseFloat(own.get("opacity") ?? "1") < FAINT_OPACITY ||
  (["max-height", "height", "max-width", "width"].some((name) => isNarrow(own.get(name))) &&
    own.get("overflow") === "hidden") ||
  isAway(own)

const foldsOf = (name: string, attributes: Attributes, around: number): number => {
  if (name === "summary") return Math.max(0, around - 1)
  return name === "details" && !Object.hasOwn(attributes, "open") ? around + 1 : around
}

export type Attributes = Readonly<Record<string, string>>

const ruled = (name: string, attributes: Attributes, sheet: Sheet): Declarations => {
  const own = declarationsOf(attributes["style"] ?? "")
  if (sheet.size === 0) return own
  const classes = (attributes["class"] ?? "").toLowerCase().slice(0, 400).split(/\s+/, CLASSES_MAX)
  const rules = [name, ...classes.flatMap((one) => [`.${one}`, `${name}.${one}`])].flatMap((key) => [
    ...(sheet.get(key) ?? [])
  ])
  return rules.length === 0 ? own : new Map([...rules, ...own])
}

export const styleOf = (name: string, attributes: Attributes, parent: Style, sheet: Sheet): Style => {
  const own = ruled(name, attributes, sheet)
  const color = own.get("color") ?? (name === "font" ? attributes["color"]?.toLowerCase() : undefined)
  const ink = color === undefined ? parent.color : colorOf(color)
  const background = backgroundOf(own, attributes["bgcolor"]) ?? parent.background
  const size = pixels(own.get("font-size"))
  return {
    gone: parent.gone || isGone(own, attributes),
    shut: parent.shut || hasNoRoom(own),
    tiny: size === null ? parent.tiny : size <= TINY_PX,
    folds: foldsOf(name, attributes, parent.folds),
    level: levelOf(name, own, attributes, parent.level),
    color: ink,
    background
  }
}
