import { type Kysely, sql } from "kysely"

/** Null in rows of earlier releases, whose agents have all passed registration's questions. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`alter table agents add column provisional boolean`.execute(db)
}
