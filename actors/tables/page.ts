/** Returns one page of the rows that a query finds, and the total number of rows. */
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Database } from "./database.ts"

interface PageRequest {
  readonly page: number
  readonly per_page: number
}

export const COUNTED = sql<string>`count(*)`.as("total")

interface Counting {
  readonly executeTakeFirstOrThrow: () => Promise<{ readonly total: string }>
}

interface Paging<Row> {
  readonly limit: (count: number) => {
    readonly offset: (count: number) => { readonly execute: () => Promise<ReadonlyArray<Row>> }
  }
}

/** `counted`: selects `COUNTED` from the rows. `rows`: selects the same rows in order, with the wanted columns. */
export const pageOf = async <Row>(
  counted: Counting,
  rows: Paging<Row>,
  { page, per_page }: PageRequest
): Promise<{ readonly total: number; readonly rows: ReadonlyArray<Row> }> => {
  const [{ total }, shown] = await Promise.all([
    counted.executeTakeFirstOrThrow(),
    rows
      .limit(per_page)
      .offset((page - 1) * per_page)
      .execute()
  ])
  return { total: totalBeside(Number(total), shown.length, { page, per_page }), rows: shown }
}

/**
 * The total that fits the page. Rows may be added or removed between the two reads. A page with some rows that is not
 * full is the end of the list, so it gives the total. An empty page after the first only bounds it.
 */
export const totalBeside = (counted: number, shown: number, { page, per_page }: PageRequest): number => {
  const before = (page - 1) * per_page
  if (shown === per_page) return Math.max(counted, before + shown)
  return shown > 0 || page === 1 ? before + shown : Math.min(counted, before)
}

/**
 * One page of at most `max` rows, which are read as a whole and sorted; `null` if there are more. It costs the same
 * wherever the rows lie in an index of the order. `rows`: a query that selects the id and the columns of the order.
 */
export const sortedFew = async (
  db: Kysely<Database>,
  { rows, id, order }: { readonly rows: RawBuilder<unknown>; readonly id: string; readonly order: RawBuilder<unknown> },
  max: number,
  { page, per_page }: PageRequest
): Promise<{ readonly total: number; readonly ids: ReadonlyArray<string> } | null> => {
  // The id as text has another name, so that the order means the column itself.
  const { rows: found } = await sql<{ n: string; ids: ReadonlyArray<string> }>`
    with few as materialized (${rows} limit ${max + 1})
    select (select count(*) from few) as n,
      array(select ${sql.ref(id)}::text as id_text from few order by ${order}
        limit ${per_page} offset ${(page - 1) * per_page}) as ids`.execute(db)
  const { n = "0", ids = [] } = found[0] ?? {}
  return Number(n) > max ? null : { total: Number(n), ids }
}
