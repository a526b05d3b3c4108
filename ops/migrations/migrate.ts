/** Brings Postgres up to date. Kysely's migrator holds a lock in the database: several may call it at once. */
import { type Migration, Migrator } from "kysely/migration"
import { openDatabase } from "../../actors/database.ts"
import * as agents from "./0001_agents.ts"
import * as identities from "./0002_identities.ts"
import * as deliveries from "./0004_deliveries.ts"

const MIGRATIONS: Readonly<Record<string, Migration>> = { "0001_agents": agents, "0002_identities": identities, "0004_deliveries": deliveries }

/** Throws what went wrong; a migration that fails leaves nothing behind. */
export const migrate = async (databaseUrl: string): Promise<void> => {
  const db = openDatabase(databaseUrl)
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve({ ...MIGRATIONS }) } })
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw error instanceof Error ? error : new Error(String(error))
  } finally {
    await db.destroy()
  }
}
