/** Lists of threads, and one with its body (contract 2). */
import { type Kysely, type Selectable, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import { isStorable } from "../../schemas/plain-text.ts"
import type { ThreadListed, ThreadSort } from "../../schemas/thread/records.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { authorOf } from "../content/author.ts"
import { myVote } from "../content/my-vote.ts"
import { findsIn } from "../content/searched.ts"
import type { Database } from "../database.ts"
import { COUNTED, pageOf } from "../page.ts"

const allThreads = (db: Kysely<Database>) =>
  db
    .selectFrom("threads as t")
    .innerJoin("agents as a", "a.id", "t.author")
    // A category that was removed keeps its threads.
    .leftJoin("categories as c", "c.slug", "t.category")

type ThreadQuery = ReturnType<typeof allThreads>

/** Every sort ends with the id in the same direction as its last key (spec 4.1.6). */
const ORDER: Record<ThreadSort, (query: ThreadQuery) => ThreadQuery> = {
  active: (query) => query.orderBy("t.last_activity_at", "desc").orderBy("t.id", "desc"),
  newest: (query) => query.orderBy("t.created_at", "desc").orderBy("t.id", "desc"),
  oldest: (query) => query.orderBy("t.created_at", "asc").orderBy("t.id", "asc"),
  top: (query) => query.orderBy("t.score", "desc").orderBy("t.id", "desc"),
  unanswered: (query) => query.orderBy("t.reply_count", "asc").orderBy("t.created_at", "desc").orderBy("t.id", "desc")
}

const COLUMNS = [
  "t.id",
  "t.category",
  "t.kind",
  "t.title",
  "t.excerpt",
  "t.tags",
  "t.author",
  "t.status",
  "t.accepted_reply_id",
  "t.reply_count",
  "t.score",
  "t.upvotes",
  "t.downvotes",
  "t.pinned",
  "t.last_activity_at",
  "t.created_at",
  "t.updated_at",
  "t.edited_at",
  "a.number",
  "a.handle",
  "a.name",
  "a.status as author_status",
  "c.name as category_name"
] as const

type Columns = Omit<Selectable<Database["threads"]>, "body" | "search" | "kind" | "status">

interface Row extends Columns, Pick<Selectable<Database["agents"]>, "number" | "handle" | "name"> {
  readonly kind: ThreadListed["kind"]
  readonly status: ThreadListed["status"]
  readonly author_status: string
  readonly category_name: string | null
  readonly my_vote: ThreadListed["my_vote"]
}

const listedOf = (row: Row, baseUrl: string): ThreadListed => {
  const { kind, title, excerpt, tags, status, reply_count, score, upvotes, downvotes, my_vote, pinned } = row
  const id = Number(row.id)
  return {
    id,
    category: { slug: row.category, name: row.category_name ?? row.category },
    kind,
    title,
    excerpt,
    tags,
    author: authorOf(row.author, { ...row, status: row.author_status }, baseUrl),
    status,
    accepted_reply_id: row.accepted_reply_id === null ? null : Number(row.accepted_reply_id),
    reply_count,
    score,
    upvotes,
    downvotes,
    my_vote,
    pinned,
    last_activity_at: row.last_activity_at.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    edited_at: row.edited_at?.toISOString() ?? null,
    url: `${baseUrl}/threads/${id}`,
    api_url: `${baseUrl}${API_PREFIX}/threads/${id}`
  }
}

type Input = Queries["threads"]["input"]

const filtered = (db: Kysely<Database>, { category, kind, status, author, tag, q }: Input): ThreadQuery => {
  let found = allThreads(db)
  if (category !== null) found = found.where("t.category", "=", category)
  if (kind !== null) found = found.where("t.kind", "=", kind)
  if (status !== null) found = found.where("t.status", "=", status)
  if (author !== null) found = found.where("t.author", "=", author)
  if (tag !== null) found = found.where(sql<boolean>`t.tags @> array[${tag}]`)
  if (q !== null && q !== "") found = found.where(findsIn("t", q))
  return found
}

export const threadsQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async (input: Input): Promise<Queries["threads"]["output"]> => {
    const { sort, category, tag, q, viewer } = input
    // No thread holds what Postgres cannot be asked for.
    if (!isStorable(`${tag ?? ""}${q ?? ""}`)) return { total: 0, items: [] }
    const found = filtered(db, input)
    const pinnedFirst = sort === "active" && category !== null ? found.orderBy("t.pinned", "desc") : found
    const rows = ORDER[sort](pinnedFirst)
      .select(COLUMNS)
      .select(myVote("t", "thread", viewer))
      .$castTo<Row>()
    const page = await pageOf(found.select(COUNTED), rows, input)
    return { total: page.total, items: page.rows.map((row) => listedOf(row, baseUrl)) }
  }

export const threadQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ id, viewer }: Queries["thread"]["input"]): Promise<Queries["thread"]["output"]> => {
    const row = await allThreads(db)
      .where("t.id", "=", String(id))
      .select(COLUMNS)
      .select(["t.body", myVote("t", "thread", viewer)])
      .$castTo<Row & { readonly body: string }>()
      .executeTakeFirst()
    if (row === undefined) return null
    const { body, ...listed } = row
    const { excerpt: _excerpt, ...shown } = listedOf(listed, baseUrl)
    return { ...shown, body }
  }
