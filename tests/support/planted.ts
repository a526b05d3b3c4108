/** Looks for planted texts wherever a system keeps anything: the bus's files, byte for byte; tables; logs; metrics. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { sql } from "kysely"
import type { TestService } from "./service.ts"

const filesBelow = async (folder: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** Each row of each table, as text. */
const rowsOf = async ({ view }: TestService): Promise<string> => {
  const tables = await sql<{ name: string }>`
    select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`.execute(view.db)
  const dumps = await Promise.all(
    tables.rows.map(async ({ name }) => {
      const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.raw(name)} t`.execute(view.db)
      return rows.map(({ row }) => row).join("\n")
    })
  )
  return dumps.join("\n")
}

const scraped = async ({ system }: TestService): Promise<string> => {
  const nodes = [...system.edges, ...system.actors]
  const pages = await Promise.all(nodes.map(async ({ metrics }) => (await fetch(metrics)).text()))
  return pages.join("\n")
}

/** The planted texts that were found, each with where. */
export const foundIn = async (service: TestService, planted: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const files = await filesBelow(join(service.system.folder, "nats"))
  const found: Array<string> = []
  const look = (where: string, bytes: Buffer): void => {
    for (const text of planted) if (bytes.includes(text)) found.push(`${text} in ${where}`)
  }
  for (const file of files) look(file, await readFile(file))
  look("a table", Buffer.from(await rowsOf(service)))
  look("a log", Buffer.from(service.system.logs.text()))
  look("metrics", Buffer.from(await scraped(service)))
  return found
}
