/** The types of the tables are those of the tables. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { openDatabase } from "../../actors/tables/database.ts"
import { TABLES, tablesText } from "../../ops/contracts/tables.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { openServers } from "../harness/index.ts"

test("what is generated and committed is what the migrations make", async () => {
  const servers = await openServers()
  const db = openDatabase(servers.postgres.url)
  try {
    expect(readFileSync(join(projectRoot, TABLES), "utf8")).toBe(await tablesText(db))
  } finally {
    await db.destroy()
    await servers.stop()
  }
})

test("no GIN index gathers entries in a list, which each search would read whole", async () => {
  const servers = await openServers()
  const db = openDatabase(servers.postgres.url)
  try {
    const { rows } = await sql<{ name: string; options: ReadonlyArray<string> | null }>`
      select c.relname as name, c.reloptions as options from pg_class c join pg_am a on a.oid = c.relam
      where a.amname = 'gin'`.execute(db)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter(({ options }) => options?.includes("fastupdate=off") !== true)).toEqual([])
  } finally {
    await db.destroy()
    await servers.stop()
  }
})
