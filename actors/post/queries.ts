/** Lists of posts, and one with its body (contract 1). */
import { type Kysely, type QueryCreator, type Selectable, sql } from "kysely"
import type { Clock } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import { postAddress } from "../../schemas/content/address.ts"
import { isStorable } from "../../schemas/plain-text.ts"
import type { BlobRef } from "../../schemas/blob/operations.ts"
import { dataRecord, type FileRef, fileRecord } from "../../schemas/file/records.ts"
import type { PostListed, PostSort } from "../../schemas/post/records.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import {
  authorOf,
  type Filter,
  filtered,
  inOrder,
  type Listing,
  Listings,
  whyHidden,
  withHidden,
  myVote
} from "../content/noun.ts"
import type { Searches } from "../queries/serve.ts"
import type { Database } from "../tables/database.ts"

const allPosts = (db: QueryCreator<Database>) =>
  db.selectFrom("posts as p").innerJoin("agents as a", "a.id", "p.author")

const ID = { by: sql.ref("p.id"), type: "bigint" } as const
const CREATED = { by: sql.ref("p.created_at"), type: "timestamptz" } as const

type Order = Pick<Listing, "way" | "keys">

/** Every sort ends with the id in the same direction (spec 4.1.6). */
const ORDER: Record<PostSort, Order> = {
  newest: { way: "desc", keys: [CREATED, ID] },
  oldest: { way: "asc", keys: [CREATED, ID] },
  top: { way: "desc", keys: [{ by: sql.ref("p.score"), type: "integer" }, ID] },
  hot: { way: "desc", keys: [{ by: sql.ref("p.hot"), type: "double precision" }, ID] },
  updated: { way: "desc", keys: [{ by: sql.ref("p.updated_at"), type: "timestamptz" }, ID] }
}

const COLUMNS = [
  "p.id",
  "p.kind",
  "p.title",
  "p.excerpt",
  "p.tags",
  "p.author",
  "p.license",
  "p.file",
  "p.data",
  "p.score",
  "p.upvotes",
  "p.downvotes",
  "p.created_at",
  "p.updated_at",
  "p.edited_at",
  "a.number",
  "a.handle",
  "a.name",
  "a.status"
] as const

type PostColumn = "id" | "title" | "excerpt" | "tags" | "author" | "license" | "score" | "upvotes" | "downvotes"
type PostTime = "created_at" | "updated_at" | "edited_at"

interface Row
  extends
    Pick<Selectable<Database["posts"]>, PostColumn | PostTime>,
    Pick<Selectable<Database["agents"]>, "number" | "handle" | "name" | "status"> {
  readonly kind: PostListed["kind"]
  readonly my_vote: PostListed["my_vote"]
  readonly file: FileRef | null
  readonly data: BlobRef | null
}

const listedOf = (row: Row, baseUrl: string): PostListed => {
  const { author, file, data, created_at, updated_at, edited_at, number: _number, ...others } = row
  const { handle: _h, name: _n, status: _s, ...rest } = others
  const id = Number(row.id)
  const api_url = `${baseUrl}${API_PREFIX}/posts/${id}`
  return {
    ...rest,
    id,
    author: authorOf(author, row, baseUrl),
    file: fileRecord(file, api_url),
    data: dataRecord(data, api_url),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    edited_at: edited_at?.toISOString() ?? null,
    url: postAddress(baseUrl, { id, title: row.title }),
    api_url
  }
}

/** `ids`: the records are in their order. */
export const listedPosts = async (
  db: Kysely<Database>,
  baseUrl: string,
  ids: ReadonlyArray<string>,
  viewer: string | null
): Promise<ReadonlyArray<PostListed>> => {
  if (ids.length === 0) return []
  const rows = await allPosts(db)
    .where("p.id", "in", [...ids])
    .select(COLUMNS)
    .select(myVote("p", "post", viewer))
    .$castTo<Row>()
    .execute()
  return inOrder(ids, rows, ({ id }) => id).map((row) => listedOf(row, baseUrl))
}

type Input = Queries["posts"]["input"]

const FILTERS: Readonly<Record<"kind" | "author" | "tag", Filter<PostSort>>> = {
  kind: { where: (kind) => sql`p.kind = ${kind}`, indexed: ["newest", "oldest"] },
  author: { where: (author) => sql`p.author = ${author}`, indexed: ["newest", "oldest"] },
  tag: { where: (tag) => sql`p.tags @> array[${tag}]`, indexed: [] }
}

const listing = ({ kind, author, tag, sort }: Input): Listing => ({
  name: JSON.stringify(["posts", kind, author, tag, sort]),
  from: sql`posts p`,
  ...filtered(FILTERS, { kind, author, tag }, sort),
  ...ORDER[sort]
})

export const postsQuery = (
  clock: Clock.Clock,
  db: Kysely<Database>,
  baseUrl: string,
  searches: Searches
): ((input: Input) => Promise<Queries["posts"]["output"]>) => {
  const listings = new Listings(clock)
  return async (input) => {
    const { tag, q, viewer } = input
    // No post contains text that Postgres cannot store.
    if (!isStorable(tag ?? "")) return { total: 0, items: [] }
    const list = listing(input)
    const { total, ids } = await (q === null || q === ""
      ? listings.page(db, list, input)
      : listings.found(list, ["posts", "p"], q, input, searches))
    return { total, items: await listedPosts(db, baseUrl, ids, viewer) }
  }
}

const one = (db: QueryCreator<Database>, id: number, viewer: string | null) =>
  allPosts(db)
    .where("p.id", "=", String(id))
    .select(COLUMNS)
    .select(["p.body", myVote("p", "post", viewer)])

const recordOf = ({ body, ...listed }: Row & { readonly body: string }, baseUrl: string) => {
  const { excerpt: _excerpt, ...shown } = listedOf(listed, baseUrl)
  return { ...shown, body }
}

/** Hidden posts are included if there is a viewer. The edge decides who sees them. */
export const postQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ id, viewer }: Queries["post"]["input"]): Promise<Queries["post"]["output"]> => {
    const row = await one(db, id, viewer).$castTo<Row & { readonly body: string }>().executeTakeFirst()
    if (row !== undefined) return recordOf(row, baseUrl)
    if (viewer === null) return null
    const hidden = await one(withHidden(db, "posts", id), id, viewer)
      .select(whyHidden("posts", id))
      .$castTo<Row & { readonly body: string; readonly hidden_reason: string }>()
      .executeTakeFirst()
    if (hidden === undefined) return null
    const { hidden_reason, ...rest } = hidden
    return { ...recordOf(rest, baseUrl), hidden: true, hidden_reason }
  }
