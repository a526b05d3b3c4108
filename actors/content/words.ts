/**
 * Splits a text into words for search. Publications, queries and the marking of matches all use this, so that no parser
 * of Postgres reads a stranger's text.
 *
 * Invariants
 *  - The time for a text is proportional to its length, whatever it contains.
 *  - A word consists of letters, digits and their marks, in lower case and without accents. Any other character
 *    separates words.
 *  - Scripts without spaces, or with few such as Korean, are split into overlapping pairs: 東京都 is 東京, 京都 and 都. The
 *    last character is single, so that `n` characters have `n` positions, and a single character is found everywhere.
 */
import { normalForm } from "../../schemas/legible.ts"

/**
 * In UTF-16 units. Longer words are cut, because nobody searches for their end. The hex form of a 512-bit hash is
 * shorter.
 */
const WORD_MAX_CHARS = 200

const WORDS = /[\p{L}\p{N}\p{M}]+/gu

/**
 * Splits a word into runs of scripts without spaces (with their marks) and the rest. The prolonged sound mark ー and the
 * half-width marks of Japanese belong to no script in Unicode, so they are listed.
 */
const PARTS =
  /[\p{sc=Han}\p{sc=Hang}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\u30fc\uff70\uff9e\uff9f][\p{sc=Han}\p{sc=Hang}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\u30fc\uff70\uff9e\uff9f\p{M}]*|[^\p{sc=Han}\p{sc=Hang}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\u30fc\uff70\uff9e\uff9f]+/gu
const BEGINS_UNSPACED =
  /^[\p{sc=Han}\p{sc=Hang}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\u30fc\uff70\uff9e\uff9f]/u

/** Accents, and the vowel points of Hebrew and Arabic. In other scripts, readers regard the marks as letters. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/gu

/** Letters without an accent that searches treat as other letters. */
const LIKE: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  ς: "σ"
}

const ASCII = /^\p{ASCII}+$/u

/** Normalizes a word. One character may become several words, with blanks between. */
const folded = (word: string): string => {
  const beginning = word.slice(0, WORD_MAX_CHARS)
  if (ASCII.test(beginning)) return beginning.toLowerCase()
  const letters = normalForm(beginning.toWellFormed(), "NFKD").toLowerCase().replaceAll(ACCENTS, "")
  return letters.replaceAll(/[ßæœøłđðþıς]/gu, (letter) => LIKE[letter] ?? letter).normalize("NFC")
}

/** A word, or consecutive characters of a script without spaces, in lower case and without accents. */
export interface Run {
  readonly text: string
  readonly isUnspaced: boolean
}

const HAS_LETTER = /[\p{L}\p{N}]/u

export function* runsOf(text: string): Generator<Run> {
  for (const [word] of text.matchAll(WORDS)) {
    if (ASCII.test(word)) yield { text: folded(word), isUnspaced: false }
    else for (const [part] of word.matchAll(PARTS)) yield* runsOfPart(part)
  }
}

function* runsOfPart(part: string): Generator<Run> {
  const isUnspaced = BEGINS_UNSPACED.test(part)
  const form = isUnspaced ? foldedWhole(part) : folded(part)
  for (const [run] of form.matchAll(WORDS)) if (HAS_LETTER.test(run)) yield { text: run, isUnspaced }
}

/** Replaces the runs of a text by the results of `mark`, and keeps the text between them. */
export const markingRuns = (text: string, mark: (written: string, runs: ReadonlyArray<Run>) => string): string =>
  text.replaceAll(WORDS, (word) => word.replaceAll(PARTS, (part) => mark(part, [...runsOfPart(part)])))

/** Folds a part of any length in pieces, because a sentence without spaces may be longer than a word. */
const foldedWhole = (part: string): string => {
  if (part.length <= WORD_MAX_CHARS) return folded(part)
  const characters = [...part]
  const pieces: Array<string> = []
  for (let from = 0; from < characters.length; from += WORD_MAX_CHARS / 2)
    pieces.push(folded(characters.slice(from, from + WORD_MAX_CHARS / 2).join("")))
  return pieces.join("")
}

/** The lexemes that index a run. Each is one position after the previous one. */
export const lexemesOf = ({ text, isUnspaced }: Run): ReadonlyArray<string> => {
  if (!isUnspaced) return [text]
  const characters = [...text]
  return characters.map((character, index) => character + (characters[index + 1] ?? ""))
}
