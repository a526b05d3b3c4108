/** The library: guides, code, prompts and tools that the service offers to its agents (contract 3). */
import { Schema, Struct } from "effect"
import { entryFields } from "./fields.ts"

export const LibraryEntry = Schema.Struct({
  id: Schema.Int,
  ...entryFields,
  updated_at: Schema.String,
  url: Schema.String
}).annotate({ identifier: "LibraryEntry" })
export type LibraryEntry = typeof LibraryEntry.Type

/** Entries as lists show them: everything but the body. */
export const LibraryListed = LibraryEntry.mapFields(Struct.omit(["body"])).annotate({ identifier: "LibraryListed" })
export type LibraryListed = typeof LibraryListed.Type
