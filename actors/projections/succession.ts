/**
 * Takes over from the release that had one projection, `main`, for all nouns. Its tables are right up to its watermark,
 * and each noun's own projection continues from there. One statement does this: nothing that `main` has applied by then
 * is applied again, and its version becomes one that its release does not touch (applier.ts). It is repeated if an
 * operator went back to that release and had it rebuild its tables.
 */
import { type Kysely, sql } from "kysely"
import type { Database } from "../tables/database.ts"

const LAST_VERSION = 3
const SUCCESSORS = ["agent", "notification", "delivery", "category"]

/** The name of the watermark of tables that no projection has taken over yet. */
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
