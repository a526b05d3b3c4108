/** Reads the bookmarks of an agent, with the fields of their targets that lists show. */
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Bookmark, Target } from "../../../schemas/bookmark/noun.ts"
import type { Queries } from "../../../schemas/bus/operations.ts"
import { postAddress, replyAddress, threadAddress } from "../../../schemas/content/address.ts"
import { API_PREFIX } from "../../../schemas/version.ts"
import { authorOf, EXCERPT_READ_CHARS, excerptOf, isTargetKept, isTargetVisible } from "../../content/noun.ts"
import type { Database } from "../../tables/database.ts"

type Db = Kysely<Database>

interface Row {
  readonly target_type: Target["target_type"]
  readonly target_id: string
  readonly note: string | null
  readonly created_at: Date
  readonly title: string
  /** `thread` and `beginning` are set for a reply, `excerpt` for a post or a thread. */
  readonly thread: string | null
  readonly beginning: string | null
  readonly excerpt: string | null
  readonly author: string
  readonly number: number
  readonly handle: string
  readonly name: string
  readonly status: string
}

const described = (b: RawBuilder<unknown>) => sql`
  select b.*, coalesce(p.title, t.title, rt.title) as title, r.thread, left(r.body, ${EXCERPT_READ_CHARS}) as beginning,
    coalesce(p.excerpt, t.excerpt) as excerpt, a.id as author, a.number, a.handle, a.name, a.status
  from ${b} b
  left join posts p on b.target_type = 'post' and p.id = b.target_id
  left join threads t on b.target_type = 'thread' and t.id = b.target_id
  left join replies r on b.target_type = 'reply' and r.id = b.target_id
  left join threads rt on rt.id = r.thread
  join agents a on a.id = coalesce(p.author, t.author, r.author)`

const PATHS = { post: "posts", thread: "threads", reply: "replies" } as const

const recordOf = (row: Row, baseUrl: string): Bookmark => {
  const { target_type, title, thread, note } = row
  const id = Number(row.target_id)
  const addresses = {
    post: () => postAddress(baseUrl, { id, title }),
    thread: () => threadAddress(baseUrl, { id, title }),
    reply: () => replyAddress(baseUrl, { id: Number(thread), title }, id)
  }
  return {
    target_type,
    target_id: id,
    title,
    excerpt: row.excerpt ?? excerptOf(row.beginning ?? ""),
    author: authorOf(row.author, row, baseUrl),
    note,
    created_at: row.created_at.toISOString(),
    url: addresses[target_type](),
    api_url: `${baseUrl}${API_PREFIX}/${PATHS[target_type]}/${id}`
  }
}

const shownOf = (agent: string) =>
  sql`select b.target_type, b.target_id, b.note, b.created_at from bookmarks b where b.agent = ${agent} and ${isTargetVisible("b")}`

const NEWEST_FIRST = sql`created_at desc, target_type desc, target_id desc`

/** Uses one statement, so that the page and the total come from the same snapshot of the data. */
export const bookmarksQuery =
  (db: Db, baseUrl: string) =>
  async ({ agent, page, per_page }: Queries["bookmarks"]["input"]): Promise<Queries["bookmarks"]["output"]> => {
    const { rows } = await sql<Partial<Row> & { readonly total: string }>`
      with shown as materialized (${shownOf(agent)}),
        paged as (select * from shown order by ${NEWEST_FIRST} limit ${per_page} offset ${(page - 1) * per_page})
      select counted.total, d.* from (select count(*) as total from shown) counted
      left join (${described(sql`paged`)}) d on true order by ${NEWEST_FIRST}`.execute(db)
    const items = rows.filter((row): row is Row & { readonly total: string } => row.target_type !== null)
    return { total: Number(rows[0]?.total ?? 0), items: items.map((row) => recordOf(row, baseUrl)) }
  }

export const bookmarkQuery =
  (db: Db, baseUrl: string) =>
  async ({ agent, target_type, target_id }: Queries["bookmark"]["input"]): Promise<Queries["bookmark"]["output"]> => {
    const one = sql`${shownOf(agent)} and b.target_type = ${target_type} and b.target_id = ${target_id}`
    const { rows } = await sql<Row>`${described(sql`(${one})`)}`.execute(db)
    return rows[0] === undefined ? null : recordOf(rows[0], baseUrl)
  }

export const bookmarksCountedQuery =
  (db: Db) =>
  async ({ agent }: Queries["bookmarks_counted"]["input"]): Promise<Queries["bookmarks_counted"]["output"]> => {
    const { rows } = await sql<{ total: string }>`select count(*) as total from (${shownOf(agent)}) s`.execute(db)
    return Number(rows[0]?.total ?? 0)
  }

/** True for bookmarks of replies whose thread was deleted. */
const THREAD_DELETED = sql<boolean>`(b.target_type = 'reply' and (
  select true from replies r where r.id = b.target_id
    and r.thread not in (select id from threads where id = r.thread union all select id from hidden_threads where id = r.thread)
  limit 1))`

/**
 * Uses one statement, so that the sample and the total come from the same snapshot of the data. A target without a row
 * may be deleted, or too new for the read models.
 */
export const hiddenBookmarksQuery =
  (db: Db) =>
  async ({
    agent,
    limit
  }: Queries["bookmarks_not_shown"]["input"]): Promise<Queries["bookmarks_not_shown"]["output"]> => {
    const { rows } = await sql<Pick<Row, "target_type" | "target_id"> & { kept: boolean; total: string }>`
      select b.target_type, b.target_id, (${isTargetKept("b")}) is true and ${THREAD_DELETED} is not true as kept,
        count(*) over () as total
      from bookmarks b where b.agent = ${agent} and (${isTargetVisible("b")}) is not true
      order by kept, b.created_at, b.target_type, b.target_id limit ${limit}`.execute(db)
    return {
      total: Number(rows[0]?.total ?? 0),
      items: rows.map(({ target_type, target_id, kept }) => ({ target_type, target_id: Number(target_id), kept }))
    }
  }
