import { type Kysely, sql } from "kysely"

/** Kinds whose actors end. The log forgets these actors, so their snapshots would stay for ever. */
const ENDING = ["challenge", "delivery", "letter", "mail", "mail_notice", "mail_sending", "origin", "text"]

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql`delete from snapshots where kind = any(${ENDING})`.execute(db)
  // The sequence of the last commit that changed an agent's entry of the directory. It is null until the rows are made
  // again.
  await sql`alter table agents add column directory_version bigint`.execute(db)
  await sql`create index agents_directory on agents (directory_version)`.execute(db)
}
