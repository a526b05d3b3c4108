/** Commits that read models have passed over. */
import type { Kysely } from "kysely"
import type { Database } from "../../actors/tables/database.ts"

/** A commit whose rows could not be written whole (actors/projections/applier.ts). */
export interface PassedOver {
  readonly projection: string
  readonly seq: number
  readonly kind: string
  readonly id: string
  readonly error: string
}

/** The most that are listed of a projection. */
const PASSED_OVER_MAX = 1000

/** The oldest of a projection. */
export const passedOver = async (db: Kysely<Database>, projection: string): Promise<ReadonlyArray<PassedOver>> => {
  const faults = db.selectFrom("projection_faults").selectAll().where("projection", "=", projection)
  const rows = await faults.orderBy("seq").limit(PASSED_OVER_MAX).execute()
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
}

/** The number of them by projection, where there are any. */
export const passedOverCounts = async (db: Kysely<Database>): Promise<ReadonlyMap<string, number>> => {
  const count = db.fn.countAll<string>().as("count")
  const rows = await db.selectFrom("projection_faults").select(["projection", count]).groupBy("projection").execute()
  return new Map(rows.map((row) => [row.projection, Number(row.count)]))
}
