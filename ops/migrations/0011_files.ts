import { type Kysely, sql } from "kysely"

export const up = async (db: Kysely<unknown>): Promise<void> => {
  // The metadata of files. Their bytes are not in Postgres.
  await sql`alter table posts add file jsonb, add data jsonb`.execute(db)
}
