/** Columns derived from texts in the tables of publications: excerpts and search vectors. */
import { sql, type Transaction } from "kysely"
import type { Database } from "../tables/database.ts"
import { rowsJsonPieces } from "../tables/rows.ts"
import { excerptOf } from "./excerpt.ts"
import { type SearchedText, searchVectorOf } from "./searched.ts"

export interface DerivedColumns {
  readonly excerptOf: (body: string) => string
  /** Makes a tsvector as text. */
  readonly searchOf: (text: SearchedText) => Promise<string> | string
}

export const MADE: DerivedColumns = { excerptOf, searchOf: searchVectorOf }

/** Used for a text that cannot be processed. It is shown, but not found. */
export const BARE: DerivedColumns = { excerptOf: () => "", searchOf: () => "" }

/** New rows with their derived columns, one at a time because they are as long as their texts. */
export async function* withMade<Row extends Partial<SearchedText>>(rows: Iterable<Row>, made: DerivedColumns) {
  for (const row of rows) {
    const { title = "", tags = [], body = "" } = row
    yield { ...row, excerpt: made.excerptOf(body), search: await made.searchOf({ title, tags, body }) }
  }
}

export function* withExcerpts<Row extends Partial<SearchedText>>(rows: Iterable<Row>, { excerptOf }: DerivedColumns) {
  for (const row of rows) yield row.body === undefined ? row : { ...row, excerpt: excerptOf(row.body) }
}

/** The most texts that are read in one statement. */
const AT_ONCE = 500

interface Row extends SearchedText {
  readonly id: string
}

async function* searchesOf(rows: ReadonlyArray<Row>, { searchOf }: DerivedColumns) {
  for (const row of rows) yield { id: row.id, search: await searchOf(row) }
}

export const writeSearched = async (
  trx: Transaction<Database>,
  table: "posts" | "threads",
  ids: ReadonlyArray<number>,
  made: DerivedColumns
): Promise<void> => {
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const { rows } = await sql<Row>`
      select id, title, tags, body from ${sql.table(table)}
      where id = any(${ids.slice(from, from + AT_ONCE)}::bigint[])`.execute(trx)
    for await (const searches of rowsJsonPieces(searchesOf(rows, made)))
      await sql`
        update ${sql.table(table)} x set search = n.search
        from jsonb_to_recordset(${searches}::jsonb) n (id bigint, search tsvector) where x.id = n.id`.execute(trx)
  }
}
