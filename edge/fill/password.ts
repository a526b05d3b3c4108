/**
 * Makes passwords for sign-ups. They have 24 characters, unless the page asks for other lengths, and consist of the
 * characters that it accepts (`passwordrules`, `minlength`, `maxlength`, `pattern`).
 */
import { randomInt } from "node:crypto"
import { Refused } from "./refusal.ts"

export interface Rules {
  readonly rules: string
  readonly min: number
  readonly max: number
  readonly pattern: string
}

const USUAL_CHARS = 24
const LEAST_CHARS = 8
/** The least entropy of a password in bits, whatever the page asks for. */
const LEAST_BITS = 40
const MOST_CHARS = 60
const TRIES = 200
const PATTERN_MAX_CHARS = 200

const LOWER = "abcdefghijkmnopqrstuvwxyz"
const UPPER = "ABCDEFGHJKLMNPQRSTUVWXYZ"
const DIGITS = "23456789"
const SIGNS = "-_.!*"
const CLASSES: Readonly<Record<string, string>> = {
  lower: LOWER,
  upper: UPPER,
  digit: DIGITS,
  special: "-~!@#$%^&*_+=`|(){}[:;\"'<>,.?]",
  "ascii-printable": LOWER + UPPER + DIGITS + SIGNS,
  unicode: LOWER + UPPER + DIGITS + SIGNS
}

interface PasswordRules {
  /** Sets of characters. A password has at least one of each. */
  readonly required: ReadonlyArray<string>
  readonly allowed: string
  readonly min: number
  readonly max: number
  readonly inARow: number
}

/** Parses "lower, [-.!]" to the characters of all named classes. */
const charactersOf = (text: string): string => {
  const [from, to] = [text.indexOf("["), text.lastIndexOf("]")]
  const isOwn = from !== -1 && to > from
  const own = isOwn ? text.slice(from + 1, to).replace(/\s/g, "") : ""
  const names = (isOwn ? text.slice(0, from) + text.slice(to + 1) : text).split(",")
  const named = names.map((name) => (Object.hasOwn(CLASSES, name.trim()) ? (CLASSES[name.trim()] ?? "") : ""))
  return [...new Set(named.join("") + own)].join("")
}

const numberIn = (text: string): number | null => (/^\d{1,4}$/.test(text) ? Number(text) : null)

/** Parses "minlength: 8; maxlength: 16; required: lower; required: digit; allowed: [-]; max-consecutive: 2". */
const ruleList = (rules: string): ReadonlyArray<readonly [string, string]> =>
  rules.split(";").flatMap((rule) => {
    const at = rule.indexOf(":")
    return at === -1 ? [] : [[rule.slice(0, at).trim().toLowerCase(), rule.slice(at + 1).trim()] as const]
  })

const wantedBy = ({ rules, min, max }: Rules): PasswordRules => {
  const list = ruleList(rules)
  const values = (name: string) => list.flatMap(([key, value]) => (key === name ? [value] : []))
  const numbers = (name: string) => values(name).flatMap((value) => numberIn(value) ?? [])
  const required = values("required")
    .map(charactersOf)
    .filter((set) => set !== "")
  const extra = values("allowed").map(charactersOf).join("")
  const allowed = required.length === 0 && extra === "" ? LOWER + UPPER + DIGITS + SIGNS : required.join("") + extra
  return {
    required: required.length === 0 && extra === "" ? [LOWER, UPPER, DIGITS, SIGNS] : required,
    allowed: [...new Set(allowed)].join(""),
    min: Math.max(min, 0, ...numbers("minlength")),
    max: Math.min(MOST_CHARS, ...[max, ...numbers("maxlength")].filter((most) => most > 0)),
    inARow: Math.min(MOST_CHARS, ...numbers("max-consecutive").filter((most) => most > 0))
  }
}

const oneOf = (set: string): string => set[randomInt(set.length)] ?? ""

const shuffled = (characters: Array<string>): string => {
  for (let at = characters.length - 1; at > 0; at--) {
    const other = randomInt(at + 1)
    const kept = characters[at] ?? ""
    characters[at] = characters[other] ?? ""
    characters[other] = kept
  }
  return characters.join("")
}

const longestRun = (text: string): number => {
  let [longest, run] = [0, 0]
  for (const [at, character] of [...text].entries()) {
    run = character === text[at - 1] ? run + 1 : 1
    longest = Math.max(longest, run)
  }
  return longest
}

/**
 * A page's pattern comes from a stranger, so it is never run. Only a class of characters at the beginning of a simple
 * pattern is used.
 */
const fits = (pattern: string): ((text: string) => boolean) => {
  const simple = pattern !== "" && pattern.length <= PATTERN_MAX_CHARS && !/[*+}]\)*[*+{]|\\\d/.test(pattern)
  const ofClass = simple ? /^\^?\[([^\]\\]{1,80})\]\{?/.exec(pattern)?.[1] : undefined
  if (ofClass === undefined) return () => true
  const allowed = rangeOf(ofClass)
  return (text) => [...text].every((character) => allowed.has(character))
}

/** Parses a class of characters such as "A-Za-z0-9_". */
const rangeOf = (text: string): ReadonlySet<string> => {
  const found = new Set<string>()
  for (let at = 0; at < text.length; at++) {
    const [from, dash, to] = [text.charCodeAt(at), text[at + 1], text.charCodeAt(at + 2)]
    const isRange = dash === "-" && to > from
    for (let code = from; code <= (isRange ? to : from); code++) found.add(String.fromCharCode(code))
    if (isRange) at += 2
  }
  return found
}

export const makePassword = (rules: Rules): string => {
  const wanted = wantedBy(rules)
  const length = Math.min(Math.max(USUAL_CHARS, wanted.min), wanted.max)
  const isAllowed = fits(rules.pattern)
  const allowed = [...wanted.allowed].filter(isAllowed).join("")
  const required = wanted.required.map((set) => [...set].filter(isAllowed).join("")).filter((set) => set !== "")
  const bits = length * Math.log2(allowed.length)
  if (length < LEAST_CHARS || !(bits >= LEAST_BITS) || required.length > length)
    throw new Refused("form_not_found", "The page takes no password that would be worth one.")
  for (let tries = 0; tries < TRIES; tries++) {
    const rest = Array.from({ length: length - required.length }, () => oneOf(allowed))
    const password = shuffled([...required.map(oneOf), ...rest])
    if (longestRun(password) <= wanted.inARow) return password
  }
  throw new Refused("form_not_found", "The page's rules leave no password.")
}
