/** Kind `library`, whose only id is `own`. Operators change it, and its table is public. */
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
  /**
   * Adds an entry, or replaces the one with the same slug, which keeps its id. `changed` is false if it was the same
   * already.
   */
  "library.set": op({
    input: Given,
    output: Schema.Struct({ id: Schema.Int, slug: Schema.String, changed: Schema.Boolean }),
    askedBy: []
  }),
  /** Adds the first entries, all at once. It is applied only once, and only if operators have not added any before. */
  "library.seed": op({
    input: Schema.Struct({ entries: Schema.Array(Given) }),
    output: Schema.Struct({ added: Schema.Int }),
    askedBy: []
  }),
  "library.remove": op({ input: Schema.Struct({ slug: Schema.String }), output: Deleted, askedBy: [] })
})

export const libraryQueries = {
  /** The entries, oldest first. */
  library: query({
    input: Schema.Struct({ page: Schema.Int, per_page: Schema.Int }),
    output: paged(LibraryListed)
  }),
  library_entry: query({ input: Schema.Struct({ slug: Schema.String }), output: Schema.NullOr(LibraryEntry) })
}
