/**
 * Full-text search of publications: what of them is found, and what a stranger's text means. `GET /search` and `?q=` of
 * the lists find by this and nothing else (contract 3, 19).
 *
 * Invariants
 *  - Any text is a query, none is refused. It is cut at `QUERY_MAX_CHARS` and `QUERY_MAX_WORDS`; a NUL is a blank, half
 *    of a surrogate pair is no letter. Where no word is left that must be there, nothing is found.
 *  - Both sides lose their accents in the same way (`searched_words` of the migrations).
 *  - The last word is taken for the beginning of one, as somebody types it, unless it is put in quotation marks,
 *    excluded, or a single ASCII character, with which too much begins.
 */
import { type Kysely, type RawBuilder, sql } from "kysely"
import { QUERY_MAX_CHARS, QUERY_MAX_WORDS } from "../../schemas/search/records.ts"
import type { Database } from "../database.ts"

/**
 * Of a body without its accents, which may make it longer. A tsvector holds 1 MiB: of a character come 8 bytes at most
 * (two of the longest kind with a hyphen between them are three words).
 */
const SEARCHED_MAX_CHARS = 100_000

/** Title over tags over body, in any language. `row`: the alias of a table with these columns. */
export const searchedOf = (row: string): RawBuilder<unknown> => sql`
  setweight(to_tsvector('simple', searched_words(${sql.ref(`${row}.title`)})), 'A')
  || setweight(to_tsvector('simple', array_to_string(${sql.ref(`${row}.tags`)}, ' ')), 'B')
  || setweight(to_tsvector('simple', left(searched_words(${sql.ref(`${row}.body`)}), ${SEARCHED_MAX_CHARS})), 'C')`

/** A word that is looked for, without accents, in lower case; `prefix`: or one that begins with it. */
export interface Word {
  readonly text: string
  readonly prefix: boolean
}

export interface TextQuery {
  /** tsquery, as text: what must be so of a row. */
  readonly match: string
  /** The same words, any of them: what ranks the rows. */
  readonly any: string
  /** None of them taken for the beginning of another. */
  readonly whole: string
  readonly words: ReadonlyArray<Word>
}

/** What is looked at of a stranger's text. */
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

/** `null`: it asks for no word. */
export const textQuery = async (db: Kysely<Database>, q: string): Promise<TextQuery | null> => {
  const text = typed(q)
  if (text === "") return null
  const { rows } = await sql<Read>`
    select searched_words(${text}) as plain, query::text as match, querytree(query) as tree
    from (select words_query(${text}) as query) q`.execute(db)
  return rows[0] === undefined ? null : queryOf(rows[0])
}

interface Read {
  /** What was typed, without accents. */
  readonly plain: string
  readonly match: string
  /** Without what is excluded; `T` where that would leave everything. */
  readonly tree: string
}

const LEXEME = /'(?:[^']|'')*'/g

/** Of what Postgres has read: the last word may go on. */
export const queryOf = ({ plain, match, tree }: Read): TextQuery | null => {
  const lexemes = [...new Set(tree.match(LEXEME))]
  if (lexemes.length === 0) return null
  const goesOn = isBegun(plain) && match.endsWith("'")
  const last = goesOn ? tree.match(LEXEME)?.at(-1) : undefined
  return {
    match: goesOn ? `${match}:*` : match,
    any: lexemes.map((lexeme) => (lexeme === last ? `${lexeme}:*` : lexeme)).join(" | "),
    whole: lexemes.join(" | "),
    words: lexemes.map((lexeme) => ({
      text: lexeme.slice(1, -1).replaceAll("''", "'").replaceAll("\\\\", "\\"),
      prefix: lexeme === last
    }))
  }
}

const WORD_CHARACTER = /^[\p{L}\p{N}\p{M}]$/u
const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && WORD_CHARACTER.test(character)

const LAST_ASCII = "\u007f"

/** Whether the text ends within a word. */
const isBegun = (plain: string): boolean => {
  const word = plain.split(" ").at(-1) ?? ""
  const [last, before] = [...word].toReversed()
  if (last === undefined || !isWordCharacter(last) || word.startsWith("-")) return false
  return isWordCharacter(before) || last > LAST_ASCII
}

/** Words that are there whole count twice. `row`: as below. */
export const rankIn = (row: string, { any, whole }: TextQuery): RawBuilder<number> => {
  const searched = sql.ref(`${row}.search`)
  return sql<number>`(ts_rank(${searched}, ${any}::tsquery) + ts_rank(${searched}, ${whole}::tsquery))`
}

/** `row`: the alias of a table with a column of what is searched. */
export const findsIn = (row: string, { match }: TextQuery): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${row}.search`)} @@ ${match}::tsquery`
