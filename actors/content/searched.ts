/**
 * Full-text search of publications: it interprets a stranger's search text, and selects the matching rows. `GET
 * /search` and `?q=` of the lists use only this (contract 3, 19, 22).
 *
 * Invariants
 *  - Both sides are read by `words.ts`. Postgres gets lexemes with their places, and a tsquery of nothing but lexemes:
 *    its own parser takes quadratic time for some texts, and no stranger's text comes near it.
 *  - Any text is a query, none is refused. It is cut at `QUERY_MAX_CHARS`, `QUERY_MAX_WORDS` and `QUERY_MAX_LEXEMES`; a
 *    NUL is a blank, half of a surrogate pair is no letter. A query without a required word finds nothing.
 *  - `"…"` is a phrase, `-` before a word or a phrase excludes it, `or` stands between alternatives. Text without a
 *    space (`example.com`, `1.5`, 東京都) is found as it is written, together.
 *  - The last word matches the beginnings of words, as somebody types it. Exceptions are quoted and excluded words, and
 *    a single ASCII character, with which too much begins.
 *  - Beginnings are lexemes of their own (`*wo` for `word`), without positions. Otherwise Postgres would collect all
 *    stored words with a beginning from its index, and it does not cancel that.
 */
import { setImmediate as turn } from "node:timers/promises"
import { type RawBuilder, sql } from "kysely"
import { QUERY_MAX_CHARS, QUERY_MAX_WORDS } from "../../schemas/search/records.ts"
import { lexemesOf, type Run, runsOf } from "./words.ts"

/** The part of a body that is indexed, in UTF-16 units. */
const SEARCHED_MAX_CHARS = 100_000
/**
 * `LEXEMES_MAX_BYTES`, `PLACES_MAX` and `LAST_PLACE` are limits of Postgres: the bytes of a tsvector's lexemes with
 * their positions, the positions of one lexeme, and the last position.
 */
const LEXEMES_MAX_BYTES = 1_000_000
const PLACES_MAX = 255
/**
 * The number of different lexemes of one row. Nearly all texts have fewer. The limit exists because a text of random
 * characters has tens of thousands, and each edit indexes all of them again.
 */
const LEXEMES_MAX = 6000
const LAST_PLACE = 16_383
/** The number of different beginnings of one row. An article of 12,500 words has 2,700. */
const BEGINNINGS_MAX = 8000
/** In characters. For a longer beginning, the rows that the index finds are read. */
const BEGINNING_MAX_CHARS = 10
/** The most bytes that a lexeme needs besides its text, and that each of its positions needs. */
const LEXEME_BYTES = 4
const PLACE_BYTES = 2
/** The number of lexemes that are handled in one turn of the event loop. Each text begins a turn. */
const LEXEMES_AT_ONCE = 2000

export interface SearchedText {
  readonly title: string
  readonly tags: ReadonlyArray<string>
  readonly body: string
}

/** Makes a tsvector as text. Title weighs most, then tags, then body. */
export const searchVectorOf = async ({ title, tags, body }: SearchedText): Promise<string> => {
  await turn()
  const places = new Map<string, Array<string>>()
  let [place, bytes, lexemes] = [0, 0, 0]
  const put = (lexeme: string, weight: string): void => {
    // After the last position, positions start again at 1, so that adjacent words stay adjacent.
    const at = `${(place++ % LAST_PLACE) + 1}${weight}`
    const known = places.get(lexeme)
    if (known === undefined && places.size >= LEXEMES_MAX) return
    bytes += PLACE_BYTES + (known === undefined ? Buffer.byteLength(lexeme) + LEXEME_BYTES : 0)
    if (known === undefined) places.set(lexeme, [at])
    else if (known.length < PLACES_MAX) known.push(at)
  }
  for (const [weight, text] of [
    ["A", title],
    ["B", tags.join(" ")],
    ["C", body.slice(0, SEARCHED_MAX_CHARS)]
  ] as const) {
    for (const run of runsOf(text))
      for (const lexeme of lexemesOf(run)) {
        if (bytes < LEXEMES_MAX_BYTES) put(lexeme, weight)
        if (++lexemes % LEXEMES_AT_ONCE === 0) await turn()
      }
    // A gap, so that no phrase reaches from one field to the next.
    place++
  }
  const beginnings = new Set<string>()
  for (const lexeme of places.keys()) {
    for (const beginning of beginningsOf(lexeme)) {
      const needed = Buffer.byteLength(beginning) + LEXEME_BYTES
      if (beginnings.has(beginning) || beginnings.size >= BEGINNINGS_MAX || bytes + needed > LEXEMES_MAX_BYTES) continue
      beginnings.add(beginning)
      bytes += needed
    }
    if (++lexemes % LEXEMES_AT_ONCE === 0) await turn()
  }
  const placed = Array.from(places, ([lexeme, at]) => `'${lexeme}':${at.join(",")}`)
  return [...placed, ...Array.from(beginnings, (beginning) => `'${beginning}'`)].join(" ")
}

const beginning = (characters: ReadonlyArray<string>): string => `*${characters.slice(0, BEGINNING_MAX_CHARS).join("")}`

/** The beginnings that are shorter than the lexeme, and that a query may ask for. */
function* beginningsOf(lexeme: string): Generator<string> {
  const characters = [...lexeme]
  const least = ASCII_CHARACTER.test(characters[0] ?? "") ? 2 : 1
  const most = Math.min(BEGINNING_MAX_CHARS, characters.length - 1)
  for (let length = least; length <= most; length++) yield beginning(characters.slice(0, length))
}

/** A word to look for, in its searched form. `prefix`: words that begin with it match too. */
export interface Word extends Run {
  readonly prefix: boolean
}

export interface TextQuery {
  /** A tsquery as text, which a row must match. The index answers it. */
  readonly match: string
  /** Another one, which a row that matches must match too. `null` if `match` is exact. */
  readonly exact: string | null
  /** The same words joined by "or", for ranking. */
  readonly any: string
  /** The same words without prefix matching. */
  readonly whole: string
  readonly words: ReadonlyArray<Word>
}

/** Limited because for each lexeme Postgres reads a list of positions. */
const QUERY_MAX_LEXEMES = 32

export const typed = (q: string): string => {
  const whole = q
    .slice(0, 2 * QUERY_MAX_CHARS)
    .toWellFormed()
    .replaceAll("\0", " ")
    .normalize("NFC")
  const words = [...whole].slice(0, QUERY_MAX_CHARS).join("").split(/\s/u)
  return words
    .filter((word) => word !== "")
    .slice(0, QUERY_MAX_WORDS)
    .join(" ")
}

/** Words that a row must have in sequence, or must not have. */
interface Clause {
  readonly words: ReadonlyArray<Word>
  readonly isExcluded: boolean
  /** True if its last word may be incomplete. */
  readonly goesOn: boolean
}

/**
 * Matches text in quotation marks, or up to the next blank, with the hyphens before it. The closing mark may be
 * missing.
 */
const CLAUSES = /(-*)(?:["“”]([^"“”]*)(["“”]?)|([^\s"“”]+))/gu
/** Separates words that are independent of each other. The other characters join parts of names, numbers and addresses. */
const APART = /[^\p{L}\p{N}\p{M}\-._/'’@:+#&=~]+/u
const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}]$/u
const ASCII_CHARACTER = /^\p{ASCII}$/u

/** The alternatives. Each has clauses that must all hold. There are at most `QUERY_MAX_LEXEMES` lexemes in all. */
const alternativesOf = (text: string): ReadonlyArray<ReadonlyArray<Clause>> => {
  const alternatives: Array<Array<Clause>> = [[]]
  let lexemes = 0
  for (const [, hyphens = "", quoted, mark, plain = ""] of text.matchAll(CLAUSES)) {
    const isExcluded = hyphens !== ""
    const isOr = quoted === undefined && !isExcluded && plain.toLowerCase() === "or"
    if (isOr) alternatives.push([])
    const parts = isOr ? [] : quoted === undefined ? plain.split(APART) : [quoted]
    for (const [index, part] of parts.entries()) {
      const words: Array<Word> = []
      for (const { text: whole, isUnspaced } of runsOf(part)) {
        const run = isUnspaced ? [...whole].slice(0, QUERY_MAX_LEXEMES - lexemes).join("") : whole
        lexemes += isUnspaced ? [...run].length : 1
        if (run !== "" && lexemes <= QUERY_MAX_LEXEMES) words.push({ text: run, isUnspaced, prefix: false })
      }
      const isClosed = mark !== undefined && mark !== ""
      const goesOn = !isExcluded && !isClosed && index === parts.length - 1 && ENDS_IN_WORD.test(part)
      if (words.length > 0) alternatives.at(-1)?.push({ words, isExcluded, goesOn })
    }
  }
  return alternatives
}

const typing = (clause: Clause): Clause => {
  const last = clause.words.at(-1)
  if (!clause.goesOn || last === undefined || ASCII_CHARACTER.test(last.text)) return clause
  return { ...clause, words: [...clause.words.slice(0, -1), { ...last, prefix: true }] }
}

interface PlacedLexeme {
  /** Each is a part of a tsquery. In rows without too many beginnings, `indexed` finds at least what `exact` finds. */
  readonly exact: string
  readonly indexed: string
  readonly whole: string
  readonly behind: number
  readonly begins: boolean
  /** True if a shorter beginning stands for it in the index. */
  readonly isCut: boolean
}

/** A pair of characters overlaps with the next pair. A single character matches the beginnings of pairs. */
const placedOf = (words: ReadonlyArray<Word>): ReadonlyArray<PlacedLexeme> => {
  let behind = 0
  return words.flatMap((word) => {
    const all = lexemesOf(word)
    const sought = all.length > 1 ? all.slice(0, -1) : all
    const begins = all.length === 1 && (word.prefix || word.isUnspaced)
    const placed = sought.map((lexeme, index) => {
      const whole = `'${lexeme}'`
      const characters = [...lexeme]
      const [exact, indexed] = begins ? [`${whole}:*`, `(${whole} | '${beginning(characters)}')`] : [whole, whole]
      const isCut = begins && characters.length > BEGINNING_MAX_CHARS
      return { exact, indexed, whole, begins, isCut, behind: index === 0 ? behind : 1 }
    })
    behind = all.length > 1 ? 2 : 1
    return placed
  })
}

/** A clause as a part of a tsquery. */
interface Matching {
  readonly exact: string
  /** Finds at least what `exact` finds. `null`: all rows. */
  readonly indexed: string | null
  /** True if both find the same. */
  readonly isExact: boolean
}

const matchingOf = ({ words, isExcluded }: Clause): Matching => {
  const placed = placedOf(words)
  const sign = isExcluded ? "!" : ""
  const all = placed.map(({ exact, behind }, index) => (index === 0 ? exact : `<${behind}> ${exact}`)).join(" ")
  const exact = placed.length > 1 ? `${sign}(${all})` : sign + all
  if (!placed.some(({ begins }) => begins)) return { exact, indexed: exact, isExact: true }
  const [first, ...others] = placed
  if (first !== undefined && others.length === 0) return { exact, indexed: sign + first.indexed, isExact: !first.isCut }
  // Beginnings have no positions: a phrase with one is looked for in the rows that have all its parts.
  return { exact, indexed: isExcluded ? null : placed.map(({ indexed }) => indexed).join(" & "), isExact: false }
}

const joined = (
  alternatives: ReadonlyArray<ReadonlyArray<Matching>>,
  part: (matching: Matching) => string | null
): string => alternatives.map((clauses) => clauses.flatMap((matching) => part(matching) ?? []).join(" & ")).join(" | ")

/** `null` if the text asks for no word. */
export const textQuery = (q: string): TextQuery | null => {
  const alternatives = alternativesOf(typed(q))
    // An alternative that only excludes words would match nearly everything.
    .filter((clauses) => clauses.some(({ isExcluded }) => !isExcluded))
  const last = alternatives.at(-1)
  const end = last?.at(-1)
  if (last === undefined || end === undefined) return null
  const typedAt = [...alternatives.slice(0, -1), [...last.slice(0, -1), typing(end)]]
  const words = typedAt.flat().flatMap((clause) => (clause.isExcluded ? [] : clause.words))
  const placed = words.flatMap((word) => placedOf([word]))
  const matched = typedAt.map((clauses) => clauses.map(matchingOf))
  return {
    match: joined(matched, ({ indexed }) => indexed),
    exact: matched.flat().every(({ isExact }) => isExact) ? null : joined(matched, ({ exact }) => exact),
    any: [...new Set(placed.map(({ exact }) => exact))].join(" | "),
    whole: [...new Set(placed.map(({ whole }) => whole))].join(" | "),
    words
  }
}

/** Complete words count twice. `row`: the alias of a table with the searched column. */
export const rankIn = (row: string, { any, whole }: TextQuery): RawBuilder<number> => {
  const searched = sql.ref(`${row}.search`)
  return sql<number>`(ts_rank(${searched}, ${any}::tsquery) + ts_rank(${searched}, ${whole}::tsquery))`
}

/** `row`: the alias of a table with the searched column. */
export const findsIn = (row: string, { match, exact }: TextQuery): RawBuilder<boolean> => {
  const searched = sql.ref(`${row}.search`)
  const found = sql<boolean>`${searched} @@ ${match}::tsquery`
  // The function, because the index would answer the operator.
  return exact === null ? found : sql<boolean>`(${found} and ts_match_vq(${searched}, ${exact}::tsquery))`
}

/** False for banned and deleted authors: searches leave out them and their content. `agents`: the alias of that table. */
export const isFound = (agents: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${agents}.status`)} in ('active', 'suspended')`
