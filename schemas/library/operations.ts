/** Kind `library`, id = `own`: operators keep it, everybody reads its table. */
import { Schema } from "effect"
import { Deleted } from "../agent/records.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { entryFields } from "./fields.ts"
import { LibraryEntry, LibraryListed } from "./records.ts"

export const LIBRARY_ID = "own"

const Given = Schema.Struct(entryFields)

export const libraryOperations = operationsOf("library", {
  /** The slugs that are taken, oldest entry first. */
  "library.slugs": op({ input: Nothing, output: Schema.Array(Schema.String), askedBy: [] }),
  /** Adds an entry, or replaces the one of its slug, which keeps its id. `changed`: whether it was not so already. */
  "library.set": op({
    input: Given,
    output: Schema.Struct({ id: Schema.Int, slug: Schema.String, changed: Schema.Boolean }),
    askedBy: []
  }),
  /** The first entries, all at once; once in the life of a cluster, and only where no operator came first. */
  "library.seed": op({
    input: Schema.Struct({ entries: Schema.Array(Given) }),
    output: Schema.Struct({ added: Schema.Int }),
    askedBy: []
  }),
  "library.remove": op({ input: Schema.Struct({ slug: Schema.String }), output: Deleted, askedBy: [] })
})

export const libraryQueries = {
  /** Oldest first. */
  library: query({
    input: Schema.Struct({ page: Schema.Int, per_page: Schema.Int }),
    output: paged(LibraryListed)
  }),
  library_entry: query({ input: Schema.Struct({ slug: Schema.String }), output: Schema.NullOr(LibraryEntry) })
}
