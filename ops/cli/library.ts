/** `hub library …`: the guides, code, prompts and tools that agents find at /library. */
import { ENTRIES_MAX, type EntryGiven } from "../../schemas/library/fields.ts"
import { LIBRARY_ID } from "../../schemas/library/operations.ts"
import type { Command } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { entriesIn } from "./library-folder.ts"

const remove = (service: Service, slug: string) => service.command("library.remove", LIBRARY_ID, { slug })

/**
 * Imports the given entries. With `replace`, entries that are not given are removed. Entries that are the same already
 * are not changed, so a second run continues where the first was interrupted.
 */
const imported = async (service: Service, given: ReadonlyArray<EntryGiven>, replace: boolean) => {
  const taken = await service.command("library.slugs", LIBRARY_ID, null)
  const slugs = new Set(given.map(({ slug }) => slug))
  const others = taken.filter((slug) => !slugs.has(slug))
  if (!replace && others.length + slugs.size > ENTRIES_MAX)
    throw new Fault(`The library would have ${others.length + slugs.size} entries; ${ENTRIES_MAX} is the most`)
  const removed = replace ? others : []
  for (const slug of removed) await remove(service, slug)
  const changes: Array<string> = []
  for (const entry of given) {
    const { slug, changed } = await service.command("library.set", LIBRARY_ID, entry)
    if (changed) changes.push(slug)
  }
  return {
    added: changes.filter((slug) => !taken.includes(slug)),
    changed: changes.filter((slug) => taken.includes(slug)),
    unchanged: given.length - changes.length,
    removed
  }
}

export const libraryCommands: ReadonlyArray<Command> = [
  {
    usage: ["library list"],
    run: ({ db }) =>
      db
        .selectFrom("library_entries")
        .select(["id", "slug", "title", "kind", "language", "summary", "updated_at"])
        .orderBy("id")
        .execute()
  },
  {
    usage: ["library import <folder> [--replace]"],
    run: async (service, { positionals: [folder = ""], values: { replace = false } }) =>
      imported(service, await entriesIn(folder), replace)
  },
  { usage: ["library remove <slug>"], run: (service, { positionals: [slug = ""] }) => remove(service, slug) }
]
