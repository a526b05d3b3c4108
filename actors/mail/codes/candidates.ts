/**
 * Finds the parts of a line that have the form of a code: digits, digits in groups, letters with digits. Dates, times,
 * amounts, versions and parts of longer texts are left out, if their form is clear.
 *
 * Invariant: the line is read once, from left to right.
 */
import { isDense, isLetter } from "./vocabulary.ts"

export interface Candidate {
  readonly from: number
  readonly to: number
  readonly code: string
  /** A correction of the confidence for its form alone: -0.55 to 0.05. */
  readonly prior: number
}

interface Token {
  readonly from: number
  readonly to: number
  readonly text: string
}

type Separator = " " | "-" | null

const DIGITS_MIN = 4
const DIGITS_MAX = 10
const GROUPED_MAX_CHARS = 24
/** The most tokens of one group. A longer one is a table. */
const CHAIN_MAX = 4000

const DIGITS = /^[0-9]+$/
const HAS_DIGIT = /[0-9]/
const HAS_LETTER = /[A-Za-z]/
const UPPER = /^[0-9A-Z]+$/
const LOWER = /^[0-9a-z]+$/
const YEAR = /^(?:19[5-9]|20[0-3])[0-9]$/
/** An amount with its unit or an ordinal, such as `20kg` or `3rd`. */
const AMOUNT =
  /^[0-9]+(?:gb|mb|kb|tb|kg|km|cm|mm|ml|px|pt|mah|hz|mhz|ghz|kwh|kw|w|p|k|m|g|l|s|ms|am|pm|h|hrs|min|st|nd|rd|th|x|eur|usd|gbp|zl|tl)$/i
const VERSION = /^v[0-9]+$/i
/** The end of a masked number: `XX4242`. */
const MASKED = /^X{2,}[0-9]+$/i
const WORD_AND_NUMBER = /^[A-Za-z]{4,}[0-9]{1,4}$/
/** Names of standards and products that end with a number. */
const NAME = /^(?:sha|md|aes|rsa|iso|rfc|cve|cwe|utf|usb|ipv|ddr|rtx|gtx|din|ean|http|covid|win|ps)[0-9]+$/i
const CURRENCY = /[$€£¥￥₽₺₹₩฿₴₫₪]/
const MASKS = "*•·xX…#＊"

export const isAlnum = (line: string, at: number): boolean => {
  const code = line.charCodeAt(at)
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

const tokenAt = (line: string, from: number): Token => {
  let to = from
  while (isAlnum(line, to)) to++
  return { from, to, text: line.slice(from, to) }
}

/** The separator between two tokens: a dash with or without spaces, spaces, or `null` for anything else. */
const separatorAt = (line: string, from: number): { readonly kind: Separator; readonly to: number } => {
  let to = from
  let dash = false
  while (to < line.length && to - from < 3) {
    const char = line[to]
    if (char === "-" || char === "·" || char === "–") {
      if (dash) return { kind: null, to }
      dash = true
    } else if (char !== " " && char !== "\t") break
    to++
  }
  return { kind: to === from || !isAlnum(line, to) ? null : dash ? "-" : " ", to }
}

/** True if the character is a letter of another alphabet, so that the token is a part of a word. */
const inWord = (line: string, at: number): boolean => isLetter(line, at) && !isDense(line, at)

const before = (line: string, at: number): number => {
  let index = at - 1
  while (index >= 0 && (line[index] === " " || line[index] === "\t") && at - index < 4) index--
  return index
}

const after = (line: string, at: number): number => {
  let index = at
  while (index < line.length && line[index] === " " && index - at < 3) index++
  return index
}

/**
 * True for the visible digits of a masked card or telephone number, as in `•••• 4242`. `**4242**` is bold text and not
 * masked.
 */
const isMasked = (line: string, from: number, to: number): boolean => {
  const last = before(line, from)
  const mask = line.charAt(last)
  const twice = line[last - 1] === mask || mask === "…"
  if (line.slice(Math.max(0, last - 2), last + 1) === "...") return true
  return MASKS.includes(mask) && mask !== "#" && twice && line[to] !== mask
}

/** True if the surrounding characters make the token a part of a longer text, or an amount. */
const isPartOfOther = (line: string, from: number, to: number): boolean => {
  const left = line.charAt(from - 1)
  const right = line.charAt(to)
  if ("/\\_=&@+~^".includes(left) && left !== "") return left !== "_" || right !== "_"
  if ("\\_=&@%".includes(right) && right !== "") return left !== "_" || right !== "_"
  if (right === "/" && isAlnum(line, to + 1)) return true
  if (".,:'’".includes(left) && left !== "" && HAS_DIGIT.test(line.charAt(from - 2))) return true
  if (left === "." && isAlnum(line, from - 2)) return true
  if (".,:'’".includes(right) && right !== "" && HAS_DIGIT.test(line.charAt(to + 1))) return true
  if (right === "." && isAlnum(line, to + 1)) return true
  const first = line.charAt(before(line, from))
  const next = line.charAt(after(line, to))
  if (first === "+" || (first === ")" && /[0-9]/.test(line.charAt(before(line, from) - 1)))) return true
  if (first === "-" && (left === "-" || CURRENCY.test(next))) return true
  if (CURRENCY.test(first) || CURRENCY.test(next) || next === "%" || next === "°") return true
  return isMasked(line, from, to)
}

const digitsOf = (text: string): number => {
  let count = 0
  for (let at = 0; at < text.length; at++) if (HAS_DIGIT.test(text.charAt(at))) count++
  return count
}

const between = (value: number, low: number, high: number): boolean => value >= low && value <= high

/** True for three groups that can be a day, a month and a year in some order. */
const isDate = (groups: ReadonlyArray<string>): boolean => {
  if (groups.length !== 3) return false
  const [a = 0, b = 0, c = 0] = groups.map(Number)
  return (
    (between(a, 1, 31) && between(b, 1, 12)) ||
    (between(a, 1, 12) && between(b, 1, 31)) ||
    (between(b, 1, 12) && between(c, 1, 31))
  )
}

/** Round numbers are unlikely as codes, which are random. */
export const isRound = (code: string): boolean => code.endsWith("000") || (code.length < 6 && code.endsWith("00"))

export const isYear = (code: string): boolean => YEAR.test(code)

const digitsPrior = (text: string): number => {
  if (isYear(text)) return -0.25
  if (isRound(text)) return -0.2
  if (text.length === 6) return 0.05
  return text.length > 8 ? -0.1 : 0
}

/** The prior of digits in groups, or `null` if they cannot be a code. */
const groupedDigits = (groups: ReadonlyArray<string>, separator: Separator): number | null => {
  const lengths = groups.map(({ length }) => length)
  const chars = lengths.reduce((sum, length) => sum + length, 0)
  if (chars < DIGITS_MIN || chars > DIGITS_MAX) return null
  const [first = 0, second = 0] = lengths
  const even = lengths.every((length) => length === first)
  if (first === 1 && even) return 0
  if (groups.length === 2 && even && YEAR.test(groups[0] ?? "") && YEAR.test(groups[1] ?? "")) return null
  if (even && first >= 2) return first === 2 && isDate(groups) ? -0.3 : 0
  const near = groups.length === 2 && Math.abs(first - second) === 1 && first + second >= 5
  return near ? (separator === " " ? -0.1 : -0.15) : null
}

const singlePrior = (text: string): number | null => {
  if (DIGITS.test(text)) return between(text.length, DIGITS_MIN, DIGITS_MAX) ? digitsPrior(text) : null
  if (!between(text.length, DIGITS_MIN, DIGITS_MAX) || !HAS_DIGIT.test(text)) return null
  if (AMOUNT.test(text) || VERSION.test(text) || NAME.test(text) || MASKED.test(text)) return null
  const prior = WORD_AND_NUMBER.test(text) ? -0.35 : 0
  if (UPPER.test(text)) return prior
  return digitsOf(text) < 2 ? prior - 0.2 : prior - 0.1
}

/** The prior of groups of letters and digits: `G-482913`, `K7Q2-9XPL`. */
const mixedPrior = (groups: ReadonlyArray<string>): number | null => {
  const text = groups.join("")
  if (groups.length > 5 || text.length < DIGITS_MIN || text.length > GROUPED_MAX_CHARS) return null
  if (!HAS_DIGIT.test(text) || groups.some((group) => group.length > 8)) return null
  const [first = "", second = ""] = groups
  if (NAME.test(first + second)) return null
  const upper = UPPER.test(text)
  if (!upper && !LOWER.test(text)) return null
  const mixed = groups.filter((group) => HAS_DIGIT.test(group) && HAS_LETTER.test(group)).length
  if (digitsOf(text) < (mixed > 0 ? 2 : 3)) return null
  if (groups.some((group) => group.length > 4 && !HAS_DIGIT.test(group))) return null
  return upper ? 0 : mixed > 0 ? -0.15 : null
}

const candidate = (
  line: string,
  tokens: ReadonlyArray<Token>,
  code: string,
  prior: number | null
): Array<Candidate> => {
  const from = tokens[0]?.from ?? 0
  const to = tokens.at(-1)?.to ?? 0
  if (prior === null || isPartOfOther(line, from, to)) return []
  const colour = line[from - 1] === "#" && HAS_LETTER.test(code)
  return colour ? [] : [{ from, to, code, prior }]
}

const single = (line: string, token: Token): Array<Candidate> =>
  candidate(line, [token], token.text, singlePrior(token.text))

const dashed = (line: string, tokens: ReadonlyArray<Token>): Array<Candidate> => {
  const groups = tokens.map(({ text }) => text)
  if (groups.every((group) => DIGITS.test(group)))
    return candidate(line, tokens, groups.join(""), groupedDigits(groups, "-"))
  if (groups.length >= DIGITS_MIN && groups.every(({ length }) => length === 1))
    return candidate(line, tokens, groups.join(""), singlePrior(groups.join("")))
  return candidate(line, tokens, groups.join("-"), mixedPrior(groups))
}

const spaced = (line: string, tokens: ReadonlyArray<Token>): Array<Candidate> => {
  if (tokens.length === 1) return tokens.flatMap((token) => single(line, token))
  const groups = tokens.map(({ text }) => text)
  const ones = groups.every(({ length }) => length === 1)
  if (ones) return candidate(line, tokens, groups.join(""), singlePrior(groups.join("")))
  if (groups.every(isMixed)) return candidate(line, tokens, groups.join(""), mixedPrior(groups))
  const prior = groupedDigits(groups, " ")
  if (prior !== null) return candidate(line, tokens, groups.join(""), prior)
  // The group may be a row of complete codes, or one code beside a small number. Otherwise it contains no code.
  const long = tokens.filter(({ text }) => text.length >= DIGITS_MIN)
  const phone = line[(tokens[0]?.from ?? 0) - 1] === "+" || groups[0]?.startsWith("0") === true
  const beside = groups.length < 4 && groups.every(({ length }) => length <= 2 || length >= 5) && long.length === 1
  const row = !phone && (groups.every(({ length }) => length >= 6) || beside)
  return row ? long.flatMap((token) => single(line, token)) : []
}

/** True for `K7Q2`: half of a code that is written with a space. */
const isMixed = (text: string): boolean => UPPER.test(text) && HAS_DIGIT.test(text) && HAS_LETTER.test(text)

/**
 * The group of connected tokens from `from` on. They are connected by dashes, or by spaces if they look like parts of
 * one code.
 */
const chainAt = (
  line: string,
  from: number
): { readonly tokens: ReadonlyArray<Token>; readonly separator: Separator } => {
  const tokens = [tokenAt(line, from)]
  let separator: Separator = null
  while (tokens.length < CHAIN_MAX) {
    const last = tokens.at(-1)
    if (last === undefined) break
    const next = separatorAt(line, last.to)
    if (next.kind === null || (separator !== null && next.kind !== separator)) break
    const token = tokenAt(line, next.to)
    const wide = next.to - last.to > 1
    // Dashes with spaces separate words, and several spaces separate cells of a table. So both end the group, except
    // between single characters.
    if ((wide || line[last.to] === "\t") && !(token.text.length === 1 && last.text.length === 1)) break
    const small = token.text.length === 1 && last.text.length === 1 && UPPER.test(token.text + last.text)
    const alike = isMixed(token.text) && isMixed(last.text) && token.text.length === last.text.length
    if (next.kind === " " && !small && !alike && !(DIGITS.test(token.text) && DIGITS.test(last.text))) break
    separator = next.kind
    tokens.push(token)
  }
  return { tokens, separator }
}

/** The candidates of a line in order. Addresses must have been removed from the line. */
export const candidatesIn = (line: string): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  for (let at = 0; at < line.length;) {
    if (!isAlnum(line, at)) {
      at++
      continue
    }
    const { tokens, separator } = chainAt(line, at)
    const end = tokens.at(-1)?.to ?? at + 1
    const lone = inWord(line, at - 1) || inWord(line, end)
    if (!lone) found.push(...(separator === "-" ? dashed(line, tokens) : spaced(line, tokens)))
    at = end
  }
  return found
}
