/** The types of the tables are those of the tables. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
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
