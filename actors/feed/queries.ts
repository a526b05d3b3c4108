/**
 * Feeds in the read models (spec 4.2; contract 19).
 *
 * Invariants
 *  - The newest posts and the newest threads are read each by their own index, no more of each than a feed holds. Only
 *    texts of the feed's own entries are read, and no more of them than it shows.
 *  - A version is the hash of all entries' heads. A head has the author's handle, name and status, the category's name,
 *    and `updated_at`. Each change of title, text, tags or category changes `updated_at`. So two feeds with the same
 *    version are equal.
 *  - Hidden and deleted content has no row. Content of banned and deleted agents stays, as in lists.
 */
import { createHash } from "node:crypto"
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { FeedScope, FeedStanding } from "../../schemas/feed/operations.ts"
import { FEED_ENTRIES, FEED_TEXT_CHARS, type FeedEntry } from "../../schemas/feed/records.ts"
import { authorOf } from "../content/noun.ts"
import type { Database } from "../tables/database.ts"

type Db = Kysely<Database>
type Type = FeedEntry["type"]

/** The part of an entry that its version covers. */
interface Head {
  readonly type: Type
  readonly id: string
  readonly author: string
  readonly number: number
  readonly handle: string
  readonly name: string
  readonly status: string
  readonly category: string | null
  readonly category_name: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

type FeedRow = Omit<Head, "type">

interface Text {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly cut: boolean
  readonly tags: ReadonlyArray<string>
}

/** `more`: the other columns that this noun's table has. */
interface Source {
  readonly type: Type
  readonly table: "posts" | "threads"
  readonly more: RawBuilder<unknown>
  readonly where: ReadonlyArray<RawBuilder<boolean>>
}

/** Reads as many rows as a feed has, then their authors. The cost does not depend on the size of the table. */
const newest = async (db: Db, { type, table, more, where }: Source): Promise<ReadonlyArray<Head>> => {
  const all = where.length === 0 ? sql`true` : sql.join([...where], sql` and `)
  const { rows } = await sql<FeedRow>`
    select x.*, a.number, a.handle, a.name, a.status
    from (
      select t.id, t.author, t.created_at, t.updated_at, ${more} from ${sql.table(table)} t where ${all}
      order by t.created_at desc, t.id desc limit ${sql.lit(FEED_ENTRIES)}
    ) x cross join lateral (select number, handle, name, status from agents where id = x.author limit 1) a`.execute(db)
  return rows.map((row) => ({ ...row, type }))
}

const newestPosts = (db: Db, { author, category }: FeedScope): Promise<ReadonlyArray<Head>> => {
  if (category !== null) return Promise.resolve([])
  const where = author === null ? [] : [sql<boolean>`t.author = ${author}`]
  return newest(db, { type: "post", table: "posts", more: sql`null as category, null as category_name`, where })
}

const newestThreads = (db: Db, { author, category }: FeedScope): Promise<ReadonlyArray<Head>> => {
  const where = [
    ...(author === null ? [] : [sql<boolean>`t.author = ${author}`]),
    ...(category === null ? [] : [sql<boolean>`t.category = ${category}`])
  ]
  const more = sql`t.category, (select c.name from categories c where c.slug = t.category) as category_name`
  return newest(db, { type: "thread", table: "threads", more, where })
}

/** Entries of the same time: threads first, then the greater number. */
const newerFirst = (one: Head, other: Head): number =>
  other.created_at.getTime() - one.created_at.getTime() ||
  Number(one.type === "post") - Number(other.type === "post") ||
  Number(other.id) - Number(one.id)

const headsOf = async (db: Db, scope: FeedScope): Promise<ReadonlyArray<Head>> => {
  const [posts, threads] = await Promise.all([newestPosts(db, scope), newestThreads(db, scope)])
  return [...posts, ...threads].toSorted(newerFirst).slice(0, FEED_ENTRIES)
}

const standingOf = (heads: ReadonlyArray<Head>): FeedStanding => ({
  version: createHash("sha256").update(JSON.stringify(heads)).digest("base64url"),
  updated_at:
    heads.length === 0 ? null : new Date(Math.max(...heads.map((head) => head.updated_at.getTime()))).toISOString()
})

const textsOf = async (db: Db, heads: ReadonlyArray<Head>, type: Type): Promise<ReadonlyMap<string, Text>> => {
  const ids = heads.filter((head) => head.type === type).map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Text>`
    select id, title, tags, left(body, ${sql.lit(FEED_TEXT_CHARS)}) as text,
      char_length(body) > ${sql.lit(FEED_TEXT_CHARS)} as cut
    from ${sql.table(type === "post" ? "posts" : "threads")} where id = any(${ids}::bigint[])`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

const entryOf = (head: Head, text: Text, baseUrl: string): FeedEntry => ({
  type: head.type,
  id: Number(head.id),
  title: text.title,
  text: text.text,
  cut: text.cut,
  tags: text.tags,
  category: head.category === null ? null : { slug: head.category, name: head.category_name ?? head.category },
  author: authorOf(head.author, head, baseUrl),
  created_at: head.created_at.toISOString(),
  updated_at: head.updated_at.toISOString()
})

export const feedStandingQuery =
  (db: Db) =>
  async (scope: Queries["feed_standing"]["input"]): Promise<Queries["feed_standing"]["output"]> =>
    standingOf(await headsOf(db, scope))

/** Reads in one snapshot, so that the version belongs to the texts. */
export const feedQuery =
  (db: Db, baseUrl: string) =>
  (scope: Queries["feed"]["input"]): Promise<Queries["feed"]["output"]> =>
    db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute(async (trx) => {
        const heads = await headsOf(trx, scope)
        const texts = { post: await textsOf(trx, heads, "post"), thread: await textsOf(trx, heads, "thread") }
        const entries = heads.flatMap((head) => {
          const text = texts[head.type].get(head.id)
          return text === undefined ? [] : [entryOf(head, text, baseUrl)]
        })
        return { ...standingOf(heads), entries }
      })
