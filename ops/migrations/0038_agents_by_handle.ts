import { type Kysely, sql } from "kysely"

/** The directory in the order of handles. The other indexes of handles have the collation of the database. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    create index agents_by_handle on agents (handle collate "C", number) where status in ('active', 'suspended')`.execute(
    db
  )
}
