/** A page of what a query finds, and how much it finds in all. */
import { sql } from "kysely"

interface Wanted {
  readonly page: number
  readonly per_page: number
}

/** The number of rows found, as `total`. */
export const COUNTED = sql<string>`count(*)`.as("total")

interface Counting {
  readonly executeTakeFirstOrThrow: () => Promise<{ readonly total: string }>
}

interface Paging<Row> {
  readonly limit: (count: number) => {
    readonly offset: (count: number) => { readonly execute: () => Promise<ReadonlyArray<Row>> }
  }
}

/** `counted`: `COUNTED` of what is found; `rows`: the same in its order, with the columns that are wanted. */
export const pageOf = async <Row>(
  counted: Counting,
  rows: Paging<Row>,
  { page, per_page }: Wanted
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
 * The total that agrees with the page. Rows may be added or removed between the two reads; a page that is not full shows
 * the end of the list, and is right.
 */
export const totalBeside = (counted: number, shown: number, { page, per_page }: Wanted): number => {
  const before = (page - 1) * per_page
  if (shown === per_page) return Math.max(counted, before + shown)
  return shown > 0 || page === 1 ? before + shown : Math.min(counted, before)
}
