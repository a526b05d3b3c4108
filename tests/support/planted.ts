/** Searches for planted texts wherever a system stores data: the bus's files, byte for byte; tables; logs; metrics. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { sql } from "kysely"
import { leaderMessage } from "../../actors/log/last-message.ts"
import type { TestService } from "./service.ts"

/** A server removes folders meanwhile, such as a batch's once it is in the log. The search is repeated then. */
const filesBelow = async (folder: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" && error.path !== folder) return null
      throw error
    }
  )
  if (entries === null) return filesBelow(folder)
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** Every row of every table, as text. */
const rowsOf = async ({ view }: Pick<TestService, "view">): Promise<string> => {
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

const scraped = async ({ system }: Pick<TestService, "system">): Promise<string> => {
  const nodes = [...system.edges, ...system.actors]
  const pages = await Promise.all(nodes.map(async ({ metrics }) => (await fetch(metrics)).text()))
  return pages.join("\n")
}

/** The planted texts that were found, each with its place. */
export const foundIn = async (service: TestService, planted: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const files = await filesBelow(service.system.store)
  const found: Array<string> = []
  const look = (where: string, bytes: Buffer): void => {
    for (const text of planted) if (bytes.includes(text)) found.push(`${text} in ${where}`)
  }
  for (const file of files) {
    // A server replaces files meanwhile. The search is repeated then.
    const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? null : error))
    if (bytes instanceof Error) throw bytes
    if (bytes === null) return foundIn(service, planted)
    look(file, bytes)
  }
  look("a table", Buffer.from(await rowsOf(service)))
  look("a log", Buffer.from(service.system.logs.text()))
  look("metrics", Buffer.from(await scraped(service)))
  return found
}

const STREAM_TIMEOUT_MS = 60_000

/** Every message of every stream. */
const streamsOf = async ({ view }: TestService): Promise<ReadonlyArray<Buffer>> => {
  const all: Array<Buffer> = []
  for await (const name of view.manager.streams.names())
    for (let seq = 1; ;) {
      const message = await leaderMessage(view.nats, name, { seq, next_by_subj: ">" }, STREAM_TIMEOUT_MS)
      if (message === null) break
      all.push(Buffer.from(message.data))
      seq = message.seq + 1
    }
  return all
}

export type Place = readonly [name: string, bytes: Buffer]

/** Everything that a system stores, and all files below the folders. */
export const keptBy = async (service: TestService, folders: ReadonlyArray<string>): Promise<ReadonlyArray<Place>> => {
  const files = (await Promise.all(folders.map(filesBelow))).flat()
  return [
    // A file that no longer exists was deleted by its server.
    ...(await Promise.all(
      files.map(async (file): Promise<Place> => [`file ${file}`, await readFile(file).catch(() => Buffer.alloc(0))])
    )),
    ["streams", Buffer.concat(await streamsOf(service))],
    ["tables", Buffer.from(await rowsOf(service))],
    ["logs", Buffer.from(service.system.logs.text())],
    ["metrics", Buffer.from(await scraped(service))]
  ]
}
