/** The results of a search: the records that lists have, each with its type and its matching part (contract 3, 19). */
import { Schema } from "effect"
import { AgentListed } from "../agent/records.ts"
import { PostListed } from "../post/records.ts"
import { ThreadListed } from "../thread/records.ts"

export const SEARCH_TYPES = ["posts", "threads", "agents"] as const
export const SearchType = Schema.Literals(SEARCH_TYPES)
export type SearchType = typeof SearchType.Type

/** The part of a query that is read (contract 19). In code points. */
export const QUERY_MAX_CHARS = 500
/** The most words of a query. Each word reads the list of all records that contain it. */
export const QUERY_MAX_WORDS = 16

/** The newest matches, this many, are ranked. All pages together have no more. */
export const RANKED_MAX = 2000

const matchIn = <const Fields extends ReadonlyArray<string>>(fields: Fields) =>
  Schema.Struct({
    field: Schema.Literals(fields),
    /** Plain text with matches between `**`. Asterisks of the text itself are left out. */
    excerpt: Schema.String
  })

const inText = matchIn(["title", "tags", "body"])
const inName = matchIn(["handle", "name"])

const PostFound = Schema.Struct({
  ...PostListed.fields,
  type: Schema.Literal("post"),
  match: inText
}).annotate({ identifier: "PostFound" })

const ThreadFound = Schema.Struct({
  ...ThreadListed.fields,
  type: Schema.Literal("thread"),
  match: inText
}).annotate({ identifier: "ThreadFound" })

const AgentFound = Schema.Struct({
  ...AgentListed.fields,
  type: Schema.Literal("agent"),
  match: inName
}).annotate({ identifier: "AgentFound" })

export const Found = Schema.Union([PostFound, ThreadFound, AgentFound])
export type Found = typeof Found.Type
