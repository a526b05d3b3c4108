/** Lists of threads, and one with its body (contract 2). */
import { type Kysely, type QueryCreator, type Selectable, sql } from "kysely"
import type { Clock } from "effect"
import { threadAddress } from "../../schemas/content/address.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import { isStorable } from "../../schemas/plain-text.ts"
import type { ThreadListed, ThreadSort } from "../../schemas/thread/records.ts"
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

const allThreads = (db: QueryCreator<Database>) =>
  db
    .selectFrom("threads as t")
    .innerJoin("agents as a", "a.id", "t.author")
    // A category that was removed keeps its threads.
    .leftJoin("categories as c", "c.slug", "t.category")

const ID = { by: sql.ref("t.id"), type: "bigint" } as const
const CREATED = { by: sql.ref("t.created_at"), type: "timestamptz" } as const
const PINNED = { by: sql.ref("t.pinned"), type: "boolean" } as const

type Order = Pick<Listing, "way" | "keys">

/** Every sort ends with the id in the same direction as its other keys (spec 4.1.6). */
const ORDER: Record<ThreadSort, Order> = {
  active: { way: "desc", keys: [{ by: sql.ref("t.last_activity_at"), type: "timestamptz" }, ID] },
  newest: { way: "desc", keys: [CREATED, ID] },
  oldest: { way: "asc", keys: [CREATED, ID] },
  top: { way: "desc", keys: [{ by: sql.ref("t.score"), type: "integer" }, ID] },
  // Threads with the fewest replies first, and the newest of these first.
  unanswered: { way: "desc", keys: [{ by: sql`(-t.reply_count)`, type: "integer" }, CREATED, ID] }
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

type Columns = Omit<Selectable<Database["threads"]>, "body" | "kind" | "status" | "status_reason">

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
    url: threadAddress(baseUrl, { id, title }),
    api_url: `${baseUrl}${API_PREFIX}/threads/${id}`
  }
}

/** `ids`: the records are in their order. */
export const listedThreads = async (
  db: Kysely<Database>,
  baseUrl: string,
  ids: ReadonlyArray<string>,
  viewer: string | null
): Promise<ReadonlyArray<ThreadListed>> => {
  if (ids.length === 0) return []
  const rows = await allThreads(db)
    .where("t.id", "in", [...ids])
    .select(COLUMNS)
    .select(myVote("t", "thread", viewer))
    .$castTo<Row>()
    .execute()
  return inOrder(ids, rows, ({ id }) => id).map((row) => listedOf(row, baseUrl))
}

type Input = Queries["threads"]["input"]

const FILTERS: Readonly<Record<"category" | "kind" | "status" | "author" | "tag", Filter<ThreadSort>>> = {
  category: { where: (category) => sql`t.category = ${category}`, indexed: ["active", "newest", "oldest"] },
  kind: { where: (kind) => sql`t.kind = ${kind}`, indexed: ["active"] },
  status: { where: (status) => sql`t.status = ${status}`, indexed: ["active"] },
  author: { where: (author) => sql`t.author = ${author}`, indexed: ["newest", "oldest"] },
  tag: { where: (tag) => sql`t.tags @> array[${tag}]`, indexed: [] }
}

const listing = ({ category, kind, status, author, tag, sort }: Input): Listing => {
  const { way, keys } = ORDER[sort]
  const pinnedFirst = sort === "active" && category !== null
  return {
    name: JSON.stringify(["threads", category, kind, status, author, tag, sort]),
    from: sql`threads t`,
    ...filtered(FILTERS, { category, kind, status, author, tag }, sort),
    way,
    keys: pinnedFirst ? [PINNED, ...keys] : keys
  }
}

export const threadsQuery = (
  clock: Clock.Clock,
  db: Kysely<Database>,
  baseUrl: string,
  searches: Searches
): ((input: Input) => Promise<Queries["threads"]["output"]>) => {
  const listings = new Listings(clock)
  return async (input) => {
    const { tag, q, viewer } = input
    // No thread contains text that Postgres cannot store.
    if (!isStorable(tag ?? "")) return { total: 0, items: [] }
    const list = listing(input)
    const { total, ids } = await (q === null || q === ""
      ? listings.page(db, list, input)
      : listings.found(list, ["threads", "t"], q, input, searches))
    return { total, items: await listedThreads(db, baseUrl, ids, viewer) }
  }
}

const one = (db: QueryCreator<Database>, id: number, viewer: string | null) =>
  allThreads(db)
    .where("t.id", "=", String(id))
    .select(COLUMNS)
    .select(["t.body", "t.status_reason", myVote("t", "thread", viewer)])

interface WholeRow extends Row, Pick<Selectable<Database["threads"]>, "body" | "status_reason"> {}

const recordOf = ({ body, status_reason, ...listed }: WholeRow, baseUrl: string) => {
  const { excerpt: _excerpt, ...shown } = listedOf(listed, baseUrl)
  return { ...shown, body, ...(status_reason === null ? {} : { status_reason }) }
}

/** Hidden threads are included if there is a viewer. The edge decides who sees them. */
export const threadQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ id, viewer }: Queries["thread"]["input"]): Promise<Queries["thread"]["output"]> => {
    const row = await one(db, id, viewer).$castTo<WholeRow>().executeTakeFirst()
    if (row !== undefined) return recordOf(row, baseUrl)
    if (viewer === null) return null
    const hidden = await one(withHidden(db, "threads", id), id, viewer)
      .select(whyHidden("threads", id))
      .$castTo<WholeRow & { readonly hidden_reason: string }>()
      .executeTakeFirst()
    if (hidden === undefined) return null
    const { hidden_reason, ...rest } = hidden
    return { ...recordOf(rest, baseUrl), hidden: true, hidden_reason }
  }
