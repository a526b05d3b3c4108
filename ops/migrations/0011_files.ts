import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  // What the record tells of them; the bytes are not in Postgres.
  await sql`alter table posts add file jsonb, add data jsonb`.execute(db)
}
