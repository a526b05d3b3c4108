/**
 * Finds the words of a vocabulary in a text.
 *
 * Invariant: the work is proportional to the text. At each beginning of a word, only entries with the same first two
 * characters are compared, and a matched word is not examined again.
 */
export interface Mark<Kind> {
  readonly from: number
  readonly to: number
  readonly kind: Kind
}

interface Entry<Kind> {
  readonly text: string
  readonly kind: Kind
  /** True if the word may have an ending. */
  readonly open: boolean
  /** True if the kind of the word's ending takes precedence. */
  readonly yields: boolean
}

export interface Vocabulary<Kind> {
  /** Entries by their first two characters, which are combined to one number. */
  readonly starts: ReadonlyMap<number, ReadonlyArray<Entry<Kind>>>
  readonly ends: ReadonlyMap<string, Kind>
}

const LETTER = /[\p{L}\p{M}]/u
/** Scripts without spaces between words, or with endings on every word. */
const DENSE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}ー]/u
const KEY_CHARS = 2
const END_MAX_CHARS = 8
/** The least length of the part of a compound before its ending. */
const LEAD_MIN_CHARS = 2
const ASCII_CHARS = 128

/** A table of the ASCII letters, because this is tested for every character and mail is mostly ASCII. */
const ASCII_LETTERS: ReadonlyArray<boolean> = Array.from({ length: ASCII_CHARS }, (_, code) =>
  LETTER.test(String.fromCharCode(code))
)

const BEGINNINGS: ReadonlyArray<boolean> = Array.from({ length: ASCII_CHARS }, (_, code) =>
  /[a-z0-9%]/.test(String.fromCharCode(code))
)

export const isLetter = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code < ASCII_CHARS ? ASCII_LETTERS[code] === true : at >= 0 && at < text.length && LETTER.test(text.charAt(at))
}

export const isDense = (text: string, at: number): boolean =>
  text.charCodeAt(at) >= ASCII_CHARS && DENSE.test(text.charAt(at))

const keyAt = (text: string, at: number): number => text.charCodeAt(at) * 0x10000 + (text.charCodeAt(at + 1) || 0)

export const vocabulary = <Kind extends string>(words: Readonly<Record<Kind, string>>): Vocabulary<Kind> => {
  const starts = new Map<number, Array<Entry<Kind>>>()
  const ends = new Map<string, Kind>()
  for (const [kind, list] of Object.entries<string>(words) as Array<[Kind, string]>)
    for (const word of list.split(/[,\n]/).map((one) => one.trim())) {
      const text = word.replaceAll(/[*~]/g, "")
      if (text === "") continue
      if (word.startsWith("*")) {
        ends.set(text, kind)
        continue
      }
      const key = keyAt(text, 0)
      const entries = starts.get(key) ?? []
      entries.push({
        text,
        kind,
        open: /[*~]$/.test(word) || isDense(text, text.length - 1),
        yields: word.endsWith("~")
      })
      starts.set(key, entries)
    }
  for (const entries of starts.values()) entries.sort((a, b) => b.text.length - a.text.length)
  return { starts, ends }
}

const wordEnd = (text: string, from: number): number => {
  let at = from
  while (isLetter(text, at) && !isDense(text, at)) at++
  return at
}

interface Started<Kind> extends Mark<Kind> {
  readonly yields: boolean
}

const startingAt = <Kind>(text: string, at: number, entries: ReadonlyArray<Entry<Kind>>): Started<Kind> | null => {
  for (const entry of entries) {
    if (!text.startsWith(entry.text, at)) continue
    const to = at + entry.text.length
    const whole = !isLetter(text, to) || isDense(text, to) || !isLetter(text, to - 1)
    if (whole) return { from: at, to, kind: entry.kind, yields: false }
    if (entry.open) {
      const end = isDense(text, to - 1) ? to : wordEnd(text, to)
      return { from: at, to: end, kind: entry.kind, yields: entry.yields }
    }
  }
  return null
}

const endingAt = <Kind>(text: string, from: number, to: number, ends: ReadonlyMap<string, Kind>): Mark<Kind> | null => {
  for (let chars = Math.min(END_MAX_CHARS, to - from - LEAD_MIN_CHARS); chars >= KEY_CHARS; chars--) {
    const kind = ends.get(text.slice(to - chars, to))
    if (kind !== undefined) return { from, to, kind }
  }
  return null
}

export const marksIn = <Kind>(text: string, { starts, ends }: Vocabulary<Kind>): ReadonlyArray<Mark<Kind>> => {
  const marks: Array<Mark<Kind>> = []
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    // Among ASCII characters, entries begin only with letters, digits and a few signs.
    if (code < ASCII_CHARS && !BEGINNINGS[code]) {
      at++
      continue
    }
    const mark = startingAt(text, at, starts.get(keyAt(text, at)) ?? [])
    const dense = isDense(text, at)
    const end = mark?.to ?? (dense || !isLetter(text, at) ? at + 1 : wordEnd(text, at))
    const ending = dense || mark?.yields === false ? null : endingAt(text, at, end, ends)
    const found = ending ?? mark
    if (found !== null) marks.push({ from: found.from, to: found.to, kind: found.kind })
    at = end
  }
  return marks
}
