/** Read model of the library. Besides the log, only this contains the text of entries. */
import type { Transaction } from "kysely"
import type { Database } from "../tables/database.ts"
import { eventsOf, inventoryOf } from "../engine/events.ts"
import { type Logged, logProjection } from "../projections/projection.ts"
import { LibraryEvent } from "./decide.ts"

const writeEntry = async (trx: Transaction<Database>, told: LibraryEvent, at: number): Promise<void> => {
  const { id } = told
  if (told.type === "library.entry_removed") {
    await trx.deleteFrom("library_entries").where("id", "=", id).execute()
    return
  }
  const { slug, title, kind, language, summary, body } = told
  const shown = { slug, title, kind, language, summary, body, updated_at: new Date(at) }
  await trx
    .insertInto("library_entries")
    .values({ id, ...shown })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(shown))
    .execute()
}

const writeEntries = async (trx: Transaction<Database>, commits: ReadonlyArray<Logged>): Promise<void> => {
  for (const { commit } of commits)
    for (const told of eventsOf(LibraryEvent, commit)) await writeEntry(trx, told, commit.at)
}

export const libraryProjection = logProjection({
  name: "library",
  version: 1,
  reads: [{ kind: "library", events: inventoryOf(LibraryEvent) }],
  tables: [{ name: "library_entries", kind: "library", actor: null }],
  changes: (commits) => (trx) => writeEntries(trx, commits)
})
