/** The tables of Postgres as a release leaves them: their rows as JSON, and made again as that release had them. */
import { type Kysely, sql } from "kysely"
import { Migrator } from "kysely/migration"
import { type Database, openDatabase } from "../../actors/tables/database.ts"
import { migrations } from "../../ops/migrations/migrate.ts"

export type Rows = Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>>

/** kysely's own tables hold the migrations, and are made by it. */
const tablesOf = async (db: Kysely<Database>): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'kysely_%'
    order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

export const migrationsOf = async (db: Kysely<Database>): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

export const rowsOf = async (db: Kysely<Database>): Promise<Rows> => {
  const all: Record<string, Rows[string]> = {}
  for (const table of await tablesOf(db)) {
    const { rows } = await sql<{
      row: Rows[string][number]
    }>`select to_jsonb(t) as row from ${sql.table(table)} t`.execute(db)
    all[table] = rows.map(({ row }) => row)
  }
  return all
}

/** Empties the database, and makes it what it was. Throws where a migration of that release is gone. */
export const madeAgain = async (url: string, applied: ReadonlyArray<string>, rows: Rows): Promise<void> => {
  const db = openDatabase(url)
  try {
    await sql`drop schema public cascade`.execute(db)
    await sql`create schema public`.execute(db)
    const all = await migrations()
    const known = Object.fromEntries(applied.map((name) => [name, all[name]]).filter(([, one]) => one !== undefined))
    const { error } = await new Migrator({ db, provider: { getMigrations: async () => known } }).migrateToLatest()
    if (error !== undefined) throw error
    for (const [table, of] of Object.entries(rows)) await fill(db, table, of)
  } finally {
    await db.destroy()
  }
}

export const fill = async (db: Kysely<Database>, table: string, rows: Rows[string]): Promise<void> => {
  await sql`
    insert into ${sql.table(table)} select * from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)})
    on conflict do nothing`.execute(db)
}
