/** A page of what a query finds, and how much it finds in all. */
import type { SelectQueryBuilder } from "kysely"
import type { Database } from "./database.ts"

interface Wanted {
  readonly page: number
  readonly per_page: number
}

/** `rows` is `found` in its order, with the columns that are wanted. */
export const pageOf = async <Table extends keyof Database, Row>(
  found: SelectQueryBuilder<Database, Table, object>,
  rows: SelectQueryBuilder<Database, Table, Row>,
  { page, per_page }: Wanted
): Promise<{ readonly total: number; readonly rows: ReadonlyArray<Row> }> => {
  const [{ total }, shown] = await Promise.all([
    found.select((select) => select.fn.countAll<string>().as("total")).executeTakeFirstOrThrow(),
    rows
      .limit(per_page)
      .offset((page - 1) * per_page)
      .execute()
  ])
  return { total: Number(total), rows: shown }
}
