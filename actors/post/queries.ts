/** Lists of posts, and one with its body (contract 1). */
import { type Kysely, type Selectable, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import { isStorable } from "../../schemas/plain-text.ts"
import type { BlobRef } from "../../schemas/blob/operations.ts"
import { dataRecord, type FileRef, fileRecord } from "../../schemas/file/records.ts"
import type { PostListed, PostSort } from "../../schemas/post/records.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { authorOf } from "../content/author.ts"
import { myVote } from "../content/my-vote.ts"
import { findsIn } from "../content/searched.ts"
import type { Database } from "../database.ts"
import { COUNTED, pageOf } from "../page.ts"

const allPosts = (db: Kysely<Database>) => db.selectFrom("posts as p").innerJoin("agents as a", "a.id", "p.author")

type PostQuery = ReturnType<typeof allPosts>

/** Every sort ends with the id in the same direction (spec 4.1.6). */
const ORDER: Record<PostSort, (query: PostQuery) => PostQuery> = {
  newest: (query) => query.orderBy("p.created_at", "desc").orderBy("p.id", "desc"),
  oldest: (query) => query.orderBy("p.created_at", "asc").orderBy("p.id", "asc"),
  top: (query) => query.orderBy("p.score", "desc").orderBy("p.id", "desc"),
  hot: (query) => query.orderBy("p.hot", "desc").orderBy("p.id", "desc"),
  updated: (query) => query.orderBy("p.updated_at", "desc").orderBy("p.id", "desc")
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
    url: `${baseUrl}/posts/${id}`,
    api_url
  }
}

export const postsQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({
    kind,
    author,
    tag,
    q,
    viewer,
    ...input
  }: Queries["posts"]["input"]): Promise<Queries["posts"]["output"]> => {
    // No post holds what Postgres cannot be asked for.
    if (!isStorable(`${tag ?? ""}${q ?? ""}`)) return { total: 0, items: [] }
    let found = allPosts(db)
    if (kind !== null) found = found.where("p.kind", "=", kind)
    if (author !== null) found = found.where("p.author", "=", author)
    if (tag !== null) found = found.where(sql<boolean>`p.tags @> array[${tag}]`)
    if (q !== null && q !== "") found = found.where(findsIn("p", q))
    const { total, rows } = await pageOf(
      found.select(COUNTED),
      ORDER[input.sort](found)
        .select(COLUMNS)
        .select(myVote("p", "post", viewer))
        .$castTo<Row>(),
      input
    )
    return { total, items: rows.map((row) => listedOf(row, baseUrl)) }
  }

export const postQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ id, viewer }: Queries["post"]["input"]): Promise<Queries["post"]["output"]> => {
    const row = await allPosts(db)
      .where("p.id", "=", String(id))
      .select(COLUMNS)
      .select(["p.body", myVote("p", "post", viewer)])
      .$castTo<Row & { readonly body: string }>()
      .executeTakeFirst()
    if (row === undefined) return null
    const { body, ...listed } = row
    const { excerpt: _excerpt, ...shown } = listedOf(listed, baseUrl)
    return { ...shown, body }
  }
