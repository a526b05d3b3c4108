/**
 * Generates the types of Postgres' tables from its catalogue after all migrations, so that columns are declared only
 * once. `npm run contracts` starts a Postgres for this. `--check` starts no server, so a test compares the types with
 * the migrations (tests/contract/tables.test.ts).
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Kysely, sql } from "kysely"
import { type Database, openDatabase } from "../../actors/tables/database.ts"
import { startPostgres } from "../launcher/postgres.ts"
import { migrate } from "../migrations/migrate.ts"

export const TABLES = "actors/tables/columns.ts"

const HEAD = `/** Generated from the migrations by \`npm run contracts\`: the tables of Postgres, column by column. */
import type { ColumnType } from "kysely"

type Json = ColumnType<unknown, string, string>
type NullableJson = ColumnType<unknown, string | null, string | null>
/** A bigint. Postgres returns it as text. */
type Big = ColumnType<string, string | number, string | number>
type NullableBig = ColumnType<string | null, string | number | null, string | number | null>
type Time = ColumnType<Date, Date | string, Date | string>
type NullableTime = ColumnType<Date | null, Date | string | null, Date | string | null>
`

/** TypeScript types by Postgres' name of the type. A new type must be added here. */
const TYPES: ReadonlyMap<string, readonly [type: string, nullable: string | null]> = new Map([
  ["text", ["string", "string | null"]],
  ["integer", ["number", "number | null"]],
  ["double precision", ["number", "number | null"]],
  ["boolean", ["boolean", "boolean | null"]],
  ["bigint", ["Big", "NullableBig"]],
  ["jsonb", ["Json", "NullableJson"]],
  // The tables have no arrays but those of texts.
  ["ARRAY", ["Array<string>", null]],
  ["tsvector", ["string", null]],
  ["timestamp with time zone", ["Time", "NullableTime"]]
])

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly nullable: boolean
}

const typeOf = ({ table, name, type, nullable }: Column): string => {
  const known = TYPES.get(type)?.[nullable ? 1 : 0]
  if (known === undefined || known === null)
    throw new Error(`${table}.${name}: no type is declared for ${type}${nullable ? " that may be null" : ""}`)
  return known
}

export const tablesText = async (db: Kysely<Database>): Promise<string> => {
  const { rows } = await sql<Column>`
    select table_name as "table", column_name as name, data_type as type, is_nullable = 'YES' as nullable
    from information_schema.columns where table_schema = 'public' and table_name not like 'kysely%'
    order by table_name, ordinal_position`.execute(db)
  const tables = Map.groupBy(rows, ({ table }) => table)
  const lines = [...tables].flatMap(([table, columns]) => [
    `  ${table}: {`,
    ...columns.map((column) => `    ${column.name}: ${typeOf(column)}`),
    "  }"
  ])
  return `${HEAD}\nexport interface Database {\n${lines.join("\n")}\n}\n`
}

export const tablesOfMigrations = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "hub-tables-"))
  const postgres = await startPostgres({ dataDir: folder, settings: { fsync: "off" } })
  try {
    await migrate(postgres.url)
    const db = openDatabase(postgres.url)
    try {
      return await tablesText(db)
    } finally {
      await db.destroy()
    }
  } finally {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
