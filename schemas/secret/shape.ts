/**
 * Shapes of tokens as their makers document them. `SG.<base64url 22>.<base64url 43>` means this prefix, 22 characters
 * of an alphabet, and so on. `<digit 8-10>` means 8 to 10 digits, `<hex 40+>` at least 40.
 *
 * Invariants
 *  - A run takes as many characters as possible and never gives one back, so matching a shape costs at most its own
 *    length. Matching uses no regular expressions.
 *  - A shape must begin at the beginning of a word: the character before its first letter or digit is neither. It must
 *    end at the end of a word, unless it says that more may follow.
 */

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
const LOWER = UPPER.toLowerCase()
const DIGIT = "0123456789"
const BASE62 = UPPER + LOWER + DIGIT

const ALPHABETS: Readonly<Record<string, string>> = {
  digit: DIGIT,
  lower: LOWER,
  letter: UPPER + LOWER,
  hex: `${DIGIT}abcdefABCDEF`,
  base32: `${UPPER}234567`,
  base36: LOWER + DIGIT,
  upper36: UPPER + DIGIT,
  base58: BASE62.replaceAll(/[0OIl]/g, ""),
  base62: BASE62,
  word: `${BASE62}_`,
  base64: `${BASE62}+/`,
  base64url: `${BASE62}-_`,
  dotted: `${BASE62}-_.`,
  secret: `${BASE62}-_.~`,
  /** Characters between a name and its value, or between two lines. They are no part of a secret. */
  glue: " \t\r\n\"'`:=>"
}

/** For each ASCII character, 1 if it is in the set. */
export type CharacterSet = Uint8Array

const setOf = (characters: string): CharacterSet => {
  const set = new Uint8Array(128)
  for (let at = 0; at < characters.length; at++) set[characters.charCodeAt(at)] = 1
  return set
}

const ALPHANUMERIC = setOf(BASE62)
export const BASE64 = setOf(`${BASE62}+/`)
export const BASE64_OR_URL = setOf(`${BASE62}+/-_`)

export const isAlphanumeric = (code: number): boolean => ALPHANUMERIC[code] === 1

/** A text, or a run of characters of a set. */
interface Part {
  readonly text: string
  readonly set: CharacterSet | null
  readonly min: number
  /** `min` for an open one, however many follow. */
  readonly max: number
  readonly open: boolean
  /** True if the secret may contain words joined by `-` or `_`. */
  readonly joins: boolean
  readonly glue: boolean
}

export interface Shape {
  readonly parts: ReadonlyArray<Part>
  /** The number of characters before its first letter or digit. */
  readonly lead: number
  /**
   * The possible characters at the first letter or digit and at the next ones, for a quick test before the full one.
   */
  readonly begins: ReadonlyArray<CharacterSet>
}

/** The number of characters in the quick test. */
const BEGINS = 4

const RUN = /^([a-z0-9]{1,20}) (\d{1,4})(\+|-\d{1,4})?$/

const literalOf = (text: string): Part => ({
  text,
  set: null,
  min: text.length,
  max: text.length,
  open: false,
  joins: false,
  glue: false
})

const runOf = (said: string): Part => {
  const [, name, least, more] = RUN.exec(said) ?? []
  const characters = ALPHABETS[name ?? ""]
  if (characters === undefined || least === undefined) throw new Error(`There is no run <${said}>`)
  const open = more === "+"
  return {
    text: "",
    set: setOf(characters),
    min: Number(least),
    max: open || more === undefined ? Number(least) : Number(more.slice(1)),
    open,
    joins: characters.includes("_"),
    glue: name === "glue"
  }
}

/** The sets of a part's characters, as far as they are certain. */
const setsOf = ({ text, set, min, max }: Part): ReadonlyArray<CharacterSet> =>
  set === null ? [...text].map(setOf) : Array.from({ length: min }, () => set).concat(min === max ? [] : [ANY])

const ANY = new Uint8Array(128).fill(1)

export const shapeOf = (said: string): Shape => {
  const parts = said
    .split(/[<>]/)
    .map((piece, index) => (index % 2 === 0 ? literalOf(piece) : runOf(piece)))
    .filter(({ min }) => min > 0)
  const sets = parts.flatMap(setsOf)
  const lead = sets.findIndex((set) => set.some((has, code) => has === 1 && isAlphanumeric(code)))
  const uncertain = sets.indexOf(ANY)
  if (lead === -1 || sets.length < lead + BEGINS) throw new Error(`Too little to look for in ${said}`)
  const certain = uncertain === -1 ? sets : sets.slice(0, uncertain)
  return { parts, lead, begins: Array.from({ length: BEGINS }, (_, at) => certain[lead + at] ?? ANY) }
}

/** Counts the characters of `set` from `from` on, up to `most`. */
const lengthOfRun = (text: string, from: number, set: CharacterSet, most: number): number => {
  const end = Math.min(text.length, from + most)
  let at = from
  while (at < end && set[text.charCodeAt(at)] === 1) at++
  return at - from
}

export interface Stretch {
  readonly at: number
  readonly end: number
}

/** Finds the runs of characters of `set` that have at least `min` of them. */
export function* stretchesOf(text: string, set: CharacterSet, min: number): Generator<Stretch> {
  for (let at = 0; at < text.length; at++) {
    const end = at + lengthOfRun(text, at, set, text.length)
    if (end - at >= min) yield { at, end }
    at = end
  }
}

export interface Matched {
  /** The text of its runs, one after the other, as far as it had to be read. */
  readonly body: string
  /** True if words joined by `-` or `_` could be there. */
  readonly joins: boolean
}

/** `at` is the position of the shape's first letter or digit. */
export const matchAt = (text: string, at: number, { parts, lead }: Shape): Matched | null => {
  let next = at - lead
  if (next < 0) return null
  for (let index = 0; index < parts.length; index++) {
    const length = lengthAt(text, next, parts[index])
    if (length === -1) return null
    next += length
  }
  const last = parts.at(-1)
  if (last !== undefined && !last.open && goesOn(text, next, last.set)) return null
  return taken(text, at - lead, parts)
}

/** The length of the text that a part matches, or -1. */
const lengthAt = (text: string, at: number, part: Part | undefined): number => {
  if (part === undefined) return -1
  if (part.set === null) return text.startsWith(part.text, at) ? part.text.length : -1
  const length = lengthOfRun(text, at, part.set, part.max)
  return length < part.min ? -1 : length
}

const goesOn = (text: string, at: number, set: CharacterSet | null): boolean => {
  const code = text.charCodeAt(at)
  return set?.[code] === 1 || isAlphanumeric(code)
}

const taken = (text: string, from: number, parts: ReadonlyArray<Part>): Matched => {
  let next = from
  let body = ""
  for (const part of parts) {
    const length = lengthAt(text, next, part)
    if (part.set !== null && !part.glue) body += text.slice(next, next + length)
    next += length
  }
  return { body, joins: parts.some(({ joins }) => joins) }
}
