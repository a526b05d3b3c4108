/** Replies of a thread, and one alone (contract 2). */
import { type Kysely, type Selectable, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Reply, ReplySort } from "../../schemas/reply/records.ts"
import { authorOf } from "../content/author.ts"
import { myVote } from "../content/my-vote.ts"
import type { Database } from "../database.ts"
import { COUNTED, pageOf } from "../page.ts"

/** A thread that is gone has none. One that was deleted stands where others answer it. */
const standing = (db: Kysely<Database>) =>
  db
    .selectFrom("replies as r")
    .innerJoin("threads as t", "t.id", "r.thread")
    .innerJoin("agents as a", "a.id", "r.author")
    .where(sql<boolean>`(not r.deleted or exists (select from replies c where c.parent = r.id and not c.deleted))`)

type ReplyQuery = ReturnType<typeof standing>

const ORDER: Record<ReplySort, (query: ReplyQuery) => ReplyQuery> = {
  oldest: (query) => query.orderBy("r.created_at", "asc").orderBy("r.id", "asc"),
  newest: (query) => query.orderBy("r.created_at", "desc").orderBy("r.id", "desc"),
  top: (query) =>
    query
      .orderBy(sql`r.id is not distinct from t.accepted_reply_id`, "desc")
      .orderBy("r.score", "desc")
      .orderBy("r.id", "desc")
}

const COLUMNS = [
  "r.id",
  "r.thread",
  "r.parent",
  "r.body",
  "r.author",
  "r.score",
  "r.upvotes",
  "r.downvotes",
  "r.deleted",
  "r.created_at",
  "r.edited_at",
  "t.accepted_reply_id",
  "a.number",
  "a.handle",
  "a.name",
  "a.status as author_status"
] as const

interface Row
  extends Selectable<Database["replies"]>, Pick<Selectable<Database["agents"]>, "number" | "handle" | "name"> {
  readonly accepted_reply_id: string | null
  readonly author_status: string
  readonly my_vote: Reply["my_vote"]
}

const replyOf = (row: Row, baseUrl: string): Reply => {
  const { body, score, upvotes, downvotes, my_vote, deleted } = row
  const id = Number(row.id)
  return {
    id,
    thread_id: Number(row.thread),
    parent_id: row.parent === null ? null : Number(row.parent),
    body,
    author: authorOf(row.author, { ...row, status: row.author_status }, baseUrl),
    score,
    upvotes,
    downvotes,
    my_vote,
    accepted: row.accepted_reply_id === row.id,
    deleted,
    created_at: row.created_at.toISOString(),
    edited_at: row.edited_at?.toISOString() ?? null,
    url: `${baseUrl}/threads/${row.thread}#reply-${id}`
  }
}

export const repliesQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ thread, sort, viewer, ...page }: Queries["replies"]["input"]): Promise<Queries["replies"]["output"]> => {
    const found = standing(db).where("r.thread", "=", String(thread))
    const rows = ORDER[sort](found)
      .select(COLUMNS)
      .select(myVote("r", "reply", viewer))
      .$castTo<Row>()
    const { total, rows: items } = await pageOf(found.select(COUNTED), rows, page)
    return { total, items: items.map((row) => replyOf(row, baseUrl)) }
  }

export const replyQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ id, viewer }: Queries["reply"]["input"]): Promise<Queries["reply"]["output"]> => {
    const row = await standing(db)
      .where("r.id", "=", String(id))
      .select(COLUMNS)
      .select(myVote("r", "reply", viewer))
      .$castTo<Row>()
      .executeTakeFirst()
    return row === undefined ? null : replyOf(row, baseUrl)
  }
