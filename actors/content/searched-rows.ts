/**
 * Columns derived from the texts of publications: excerpts in their rows, and search vectors in tables of their own.
 *
 * Invariants
 *  - Each publication that is shown has a row among the searched ones. Hidden and deleted ones have none.
 *  - A vote or a reply changes no row there. In the publication's own row, Postgres would index all its words again for
 *    each of them.
 */
import { sql, type Transaction } from "kysely"
import type { Database } from "../tables/database.ts"
import { rowsJsonPieces } from "../tables/rows.ts"
import { excerptOf } from "./excerpt.ts"
import type { HiddenRows } from "./hidden-rows.ts"
import { type SearchedText, searchVectorOf } from "./searched.ts"

export interface DerivedColumns {
  readonly excerptOf: (body: string) => string
  /** Makes a tsvector as text. */
  readonly searchOf: (text: SearchedText) => Promise<string> | string
}

export const MADE: DerivedColumns = { excerptOf, searchOf: searchVectorOf }

/** Used for a text that cannot be processed. It is shown, but not found. */
export const BARE: DerivedColumns = { excerptOf: () => "", searchOf: () => "" }

export function* withExcerpts<Row extends Partial<SearchedText>>(rows: Iterable<Row>, { excerptOf }: DerivedColumns) {
  for (const row of rows) yield row.body === undefined ? row : { ...row, excerpt: excerptOf(row.body) }
}

export type TextTable = "posts" | "threads"

/** The table with the search vectors of a table's rows: their ids, authors and vectors. */
export const searchedTable = (table: TextTable): `searched_${TextTable}` => `searched_${table}`

/** The most texts that are read in one statement. */
const AT_ONCE = 500

interface Row extends Partial<SearchedText> {
  readonly id: number | string
  readonly author?: string
}

/** One row at a time, because they are as long as their texts. */
async function* searchesOf(rows: Iterable<Row>, { searchOf }: DerivedColumns) {
  for (const { id, author, title = "", tags = [], body = "" } of rows)
    yield { id, author, search: await searchOf({ title, tags, body }) }
}

const write = async (
  trx: Transaction<Database>,
  table: TextTable,
  rows: Iterable<Row>,
  made: DerivedColumns
): Promise<void> => {
  for await (const searches of rowsJsonPieces(searchesOf(rows, made)))
    await sql`
      insert into ${sql.table(searchedTable(table))} (id, author, search)
      select id, author, search from jsonb_to_recordset(${searches}::jsonb) n (id bigint, author text, search tsvector)
      on conflict (id) do update set search = excluded.search`.execute(trx)
}

interface TextChanges {
  readonly written: Iterable<Row>
  /** Rows with `edited_at` have other texts. */
  readonly changed: Iterable<{ readonly id: number; readonly edited_at?: string }>
  readonly hiding: HiddenRows
  readonly deleted: ReadonlySet<number>
}

/** Follows a batch, when all its changes are in the table of the publications. */
export const writeSearched = async (
  trx: Transaction<Database>,
  table: TextTable,
  { written, changed, hiding, deleted }: TextChanges,
  made: DerivedColumns
): Promise<void> => {
  await write(trx, table, written, made)
  const edited = [...changed].flatMap(({ id, edited_at }) => (edited_at === undefined ? [] : [id]))
  const anew = [...new Set([...edited, ...hiding.restored])]
  for (let from = 0; from < anew.length; from += AT_ONCE) {
    const { rows } = await sql<Row>`
      select id, author, title, tags, body from ${sql.table(table)}
      where id = any(${anew.slice(from, from + AT_ONCE)}::bigint[])`.execute(trx)
    await write(trx, table, rows, made)
  }
  const hidden = [...hiding.hidden].flatMap(([id, reason]) => (reason === null ? [] : [id]))
  const gone = [...deleted, ...hidden]
  if (gone.length > 0)
    await sql`delete from ${sql.table(searchedTable(table))} where id = any(${gone}::bigint[])`.execute(trx)
}
