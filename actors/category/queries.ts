/** The list of the forum's categories (spec 4.2). */
import type { Kysely } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import { threadCounts } from "../content/counts.ts"
import type { Database } from "../database.ts"

export const categoriesQuery = (db: Kysely<Database>): (() => Promise<Queries["categories"]["output"]>) => {
  const counts = threadCounts(db)
  return async () => {
    const categories = db
      .selectFrom("categories")
      .select(["slug", "name", "description"])
      .orderBy("position")
      .orderBy("slug")
      .execute()
    const [rows, threads] = await Promise.all([categories, counts()])
    return rows.map((row) => ({ ...row, threads: threads.get(row.slug) ?? 0 }))
  }
}
