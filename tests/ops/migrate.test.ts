/** Migrations of a database in use. */
import { sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openDatabase } from "../../actors/tables/database.ts"
import { migrate, migrations } from "../../ops/migrations/migrate.ts"
import { held } from "../support/held.ts"
import { type OpenServers, openServers } from "../harness/index.ts"
import { fill, madeAgain, migrationsOf } from "../upgrade/tables.ts"

/** The last migration of a release whose searches use an index of the posts' rows. */
const BEFORE = "0035_search_at_once"

let servers: OpenServers
beforeAll(async () => {
  servers = await openServers()
})
afterAll(() => servers?.stop())

test("that wait for a lock in vain keep what the ones before them made", async () => {
  const { url } = servers.postgres
  const all = Object.keys(await migrations())
  await madeAgain(url, all.slice(0, all.indexOf(BEFORE) + 1), {})
  const db = openDatabase(url)
  try {
    const { rows: columns } = await sql<{ name: string; type: string }>`
      select column_name as name, udt_name as type from information_schema.columns
      where table_schema = 'public' and table_name = 'posts' and is_nullable = 'NO' and is_generated = 'NEVER'`.execute(
      db
    )
    const value = (type: string): unknown =>
      type.startsWith("_") ? "{}" : /^(int|float|num)/.test(type) ? 7 : type === "bool" ? false : VALUES[type]
    const VALUES: Readonly<Record<string, unknown>> = { timestamptz: new Date(0), jsonb: {}, tsvector: "'word':1" }
    await fill(db, "posts", [Object.fromEntries(columns.map(({ name, type }) => [name, value(type) ?? name]))])

    await held(db, async (reader) => {
      await sql`select id from posts`.execute(reader)
      await expect(migrate(url)).rejects.toThrow("lock timeout")
      expect(await migrationsOf(db)).toEqual(all.slice(0, all.indexOf(BEFORE) + 2))
    })
    await migrate(url)
    expect(await migrationsOf(db)).toEqual(all)
    const { rows } = await sql`select id, author, search from searched_posts`.execute(db)
    expect(rows).toEqual([{ id: "7", author: "author", search: "'word':1" }])
  } finally {
    await db.destroy()
  }
})
