/**
 * Takes over from the release that kept one projection, `main`, of all nouns: its tables are right up to its watermark,
 * from where each noun's own projection goes on. One statement: whatever `main` has applied by then is not applied again,
 * and from then on it is of a version that its release leaves alone (applier.ts). Done again where an operator went back
 * to that release and had it rebuild its tables.
 */
import { type Kysely, sql } from "kysely"
import type { Database } from "../tables/database.ts"

const LAST_VERSION = 3
const SUCCESSORS = ["agent", "notification", "delivery", "category"]

/** The watermark of tables that nobody has taken over yet. */
export const PREDECESSOR = "main"

export const takeOver = async (db: Kysely<Database>): Promise<void> => {
  await sql`
    with ended as (
      update projections set version = ${LAST_VERSION + 1} where name = ${PREDECESSOR} and version = ${LAST_VERSION} returning seq
    )
    insert into projections (name, seq, version)
    select successor, seq, 1 from ended, unnest(${SUCCESSORS}::text[]) as successor
    on conflict (name) do update set seq = excluded.seq, version = excluded.version`.execute(db)
}
