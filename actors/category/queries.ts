/** The list of the forum's categories (spec 4.2). */
import { type Kysely, sql } from "kysely"
import type { Clock } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import { threadCounts } from "../content/noun.ts"
import type { Database } from "../tables/database.ts"

export const categoriesQuery = (
  clock: Clock.Clock,
  db: Kysely<Database>
): (() => Promise<Queries["categories"]["output"]>) => {
  const counts = threadCounts(clock, db)
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

interface LatestRow {
  readonly slug: string
  readonly id: string
  readonly title: string
  readonly last_activity_at: Date
}

/** Reads pinned and other threads of each category apart, because the index lists pinned threads first. */
export const latestQuery = (db: Kysely<Database>) => async (): Promise<Queries["categories_latest"]["output"]> => {
  const latest = (pinned: boolean) => sql`(
    select t.id, t.title, t.last_activity_at from threads t where t.category = c.slug and t.pinned = ${sql.lit(pinned)}
    order by t.last_activity_at desc, t.id desc limit 1)`
  const { rows } = await sql<LatestRow>`
    select c.slug, l.id, l.title, l.last_activity_at from categories c, lateral (
      select * from (${latest(true)} union all ${latest(false)}) one order by one.last_activity_at desc, one.id desc limit 1
    ) l`.execute(db)
  return rows.map(({ slug, id, title, last_activity_at }) => ({
    slug,
    id: Number(id),
    title,
    last_activity_at: last_activity_at.toISOString()
  }))
}
