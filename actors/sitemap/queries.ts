/**
 * The newest posts, threads and agents, and the first categories and library entries, that have a page. Hidden content
 * has no row.
 */
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import { numberedSlug } from "../../schemas/content/slug.ts"
import { SITEMAP_CATEGORIES_MAX, SITEMAP_EACH_MAX } from "../../schemas/sitemap/operations.ts"
import type { Database } from "../tables/database.ts"

type Db = Kysely<Database>

const numbered = async (db: Db, from: RawBuilder<unknown>, at: RawBuilder<unknown>) => {
  const { rows } = await sql<{ id: string; title: string; at: number }>`
    select id, title, extract(epoch from ${at})::integer as at from ${from}
    order by created_at desc, id desc limit ${sql.lit(SITEMAP_EACH_MAX)}`.execute(db)
  return rows.map(({ id, title, at: seconds }) => ({
    id: Number(id),
    path: numberedSlug(Number(id), title),
    at: seconds
  }))
}

const newestAgents = async (db: Db): Promise<ReadonlyArray<string>> => {
  const rows = await db
    .selectFrom("agents")
    .select("handle")
    .where("status", "in", ["active", "suspended"])
    .orderBy("number", "desc")
    .limit(SITEMAP_EACH_MAX)
    .execute()
  return rows.map(({ handle }) => handle)
}

export const sitemapQuery = (db: Db) => async (): Promise<Queries["sitemap"]["output"]> => {
  const library = db
    .selectFrom("library_entries")
    .select(["slug", sql<number>`extract(epoch from updated_at)::integer`.as("at")])
    .orderBy("id")
    .limit(SITEMAP_EACH_MAX)
    .execute()
  const categories = db.selectFrom("categories").select("slug").orderBy("slug").limit(SITEMAP_CATEGORIES_MAX).execute()
  return {
    categories: (await categories).map(({ slug }) => slug),
    posts: await numbered(db, sql`posts`, sql`updated_at`),
    threads: await numbered(db, sql`threads`, sql`last_activity_at`),
    agents: await newestAgents(db),
    library: await library
  }
}
