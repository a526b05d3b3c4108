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

/** The most that are listed, of all projections together. */
const PASSED_OVER_MAX = 1000

export const passedOver = async (db: Kysely<Database>): Promise<ReadonlyArray<PassedOver>> => {
  const rows = await db.selectFrom("projection_faults").selectAll().orderBy("seq").limit(PASSED_OVER_MAX).execute()
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
}
