/** Long lists: what a page reads however deep it lies, by which index, and that it is the right one. */
import { type CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { EXACT_MAX, MARK_EVERY } from "../../../actors/content/listing.ts"
import { type Database, LIVE_SCHEMA, openBulkDatabase } from "../../../actors/database.ts"
import { feedQuery, feedStandingQuery } from "../../../actors/feed/queries.ts"
import { postsQuery } from "../../../actors/post/queries.ts"
import { QueryRefused } from "../../../actors/queries/refused.ts"
import { repliesQuery } from "../../../actors/reply/queries.ts"
import { latestQuery } from "../../../actors/category/queries.ts"
import { sitemapQuery } from "../../../actors/sitemap/queries.ts"
import { threadsQuery } from "../../../actors/thread/queries.ts"
import { votesQuery } from "../../../actors/vote/queries.ts"
import { FEED_ENTRIES } from "../../../schemas/feed/records.ts"
import { POST_SORTS, type PostSort } from "../../../schemas/post/records.ts"
import { REPLY_SORTS, type ReplySort } from "../../../schemas/reply/records.ts"
import { SITEMAP_EACH_MAX } from "../../../schemas/sitemap/operations.ts"
import { THREAD_SORTS, type ThreadSort } from "../../../schemas/thread/records.ts"
import { type Servers, startServers } from "../../harness/index.ts"
import { type Watched, watchedDatabase } from "../../support/asked.ts"
import { fillAgents, fillPosts, fillReplies, fillThreads, settled } from "./filled.ts"

const POSTS = 200_000
const THREADS = 60_000
const REPLIES = 60_000
/** The thread that has them. */
const THREAD = 7
const VOTER = "hx000000000000000000000009"
const VOTES = 20_000
const PER_PAGE = 20

let servers: Servers
let bulk: Kysely<Database>
let watched: Watched

beforeAll(async () => {
  servers = await startServers()
  bulk = openBulkDatabase(servers.postgres.url, LIVE_SCHEMA)
  await fillAgents(bulk)
  await fillPosts(bulk, POSTS)
  await fillThreads(bulk, THREADS)
  await fillReplies(bulk, THREAD, REPLIES)
  await sql`
    insert into votes select 'post-' || n || '-v', ${VOTER}, 'post', n, 1, now() - n / 3 * interval '1 second'
    from generate_series(1, ${VOTES}) n`.execute(bulk)
  await settled(bulk, "votes")
  watched = watchedDatabase(servers.postgres.url)
})
afterAll(async () => {
  await bulk?.destroy()
  await watched?.db.destroy()
  await servers?.stop()
})
beforeEach(() => {
  watched.forget()
})

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<Node>
}

const nodesOf = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

const planOf = async ({ sql: text, parameters }: Pick<CompiledQuery, "sql" | "parameters">) => {
  const { rows } = await watched.pool.query<{ "QUERY PLAN": readonly [{ readonly Plan: Node }] }>(
    `explain (analyze, format json) ${text}`,
    [...parameters]
  )
  const nodes = rows.flatMap((row) => nodesOf(row["QUERY PLAN"][0].Plan))
  return {
    types: nodes.map((node) => `${node["Node Type"]} ${node["Relation Name"] ?? ""}`.trim()),
    rows: Math.max(
      ...nodes.map((node) => (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"])
    )
  }
}

/** By what a statement is for: the ids of a page, its rows, the walk that takes marks, a number. */
const isPage = ({ sql: text }: Pick<CompiledQuery, "sql">): boolean => text.includes(" offset ")
const isWalk = ({ sql: text }: Pick<CompiledQuery, "sql">): boolean => text.includes("row_number()")
const isCount = ({ sql: text }: Pick<CompiledQuery, "sql">): boolean =>
  /count\(\*\)/.test(text) && !isPage({ sql: text })

const READ_MAX = EXACT_MAX + MARK_EVERY + 200

const NEVER = /^(?!)/

/** Every statement but walks and counts: no sort of a list, no table read through, few rows. */
const expectQuick = async (table: string): Promise<void> => {
  const statements = watched.asked.filter((one) => !isWalk(one) && !isCount(one))
  expect(statements.some(isPage)).toBe(true)
  for (const statement of statements) {
    const { types, rows } = await planOf(statement)
    const sorts = isPage(statement) ? /Sort/ : NEVER
    expect(types.filter((type) => sorts.test(type) || type === `Seq Scan ${table}`)).toEqual([])
    expect(rows).toBeLessThanOrEqual(READ_MAX)
  }
}

const post = (more: object = {}) => ({
  page: 1,
  per_page: PER_PAGE,
  sort: "newest" as const,
  kind: null,
  author: null,
  tag: null,
  q: null,
  viewer: null,
  ...more
})
const thread = (more: object = {}) => ({ ...post(), sort: "active" as const, category: null, status: null, ...more })
const reply = (more: object = {}) => ({
  page: 1,
  per_page: PER_PAGE,
  sort: "oldest" as const,
  thread: THREAD,
  viewer: null,
  ...more
})

const idsOf = ({ items }: { readonly items: ReadonlyArray<{ readonly id: number }> }) => items.map(({ id }) => id)

/** Page by page as an offset has it. */
const byOffset = async (from: RawBuilder<unknown>, order: string, page: number): Promise<ReadonlyArray<number>> => {
  const { rows } = await sql<{ id: string }>`
    select id from ${from} order by ${sql.raw(order)} limit ${PER_PAGE} offset ${(page - 1) * PER_PAGE}`.execute(bulk)
  return rows.map(({ id }) => Number(id))
}

/** The first, the last that is counted from the beginning, the next, one in the middle, one near the end. */
const pagesOf = (total: number): ReadonlyArray<number> => {
  const exact = EXACT_MAX / PER_PAGE
  return [1, exact + 1, exact + 2, Math.floor(total / 2 / PER_PAGE) + 1, Math.ceil(total / PER_PAGE)]
}

const POST_ORDER: Record<PostSort, string> = {
  newest: "created_at desc, id desc",
  oldest: "created_at, id",
  top: "score desc, id desc",
  hot: "hot desc, id desc",
  updated: "updated_at desc, id desc"
}

const THREAD_ORDER: Record<ThreadSort, string> = {
  active: "last_activity_at desc, id desc",
  newest: "created_at desc, id desc",
  oldest: "created_at, id",
  top: "score desc, id desc",
  unanswered: "reply_count, created_at desc, id desc"
}

const REPLY_ORDER: Record<ReplySort, string> = {
  oldest: "created_at, id",
  newest: "created_at desc, id desc",
  top: "score desc, id desc"
}

const standing = sql`(select * from replies r where thread = ${THREAD}
  and (not deleted or exists (select from replies c where c.parent = r.id and not c.deleted))) s`

describe("posts", () => {
  test.each(POST_SORTS)("by %s", async (sort) => {
    const posts = postsQuery(watched.db, "")
    for (const page of pagesOf(POSTS)) {
      const found = await posts(post({ sort, page }))
      expect(found.total).toBe(POSTS)
      expect([page, idsOf(found)]).toEqual([page, await byOffset(sql`posts`, POST_ORDER[sort], page)])
    }
    await expectQuick("posts")
    // Marks and the number are found out once.
    expect([watched.asked.filter(isWalk).length, watched.asked.filter(isCount).length]).toEqual([1, 2])
    expect(await posts(post({ sort, page: POSTS / PER_PAGE + 1 }))).toEqual({ total: POSTS, items: [] })
    expect(await posts(post({ sort, page: 1_000_000_000 }))).toEqual({ total: POSTS, items: [] })
  })

  test.each([
    ["a kind that most are of", { kind: "note" }, sql`posts where kind = 'note'`],
    ["a kind that few are of", { kind: "tool" }, sql`posts where kind = 'tool'`],
    ["a tag", { tag: "t3" }, sql`posts where 't3' = any(tags)`],
    ["an author", { author: VOTER }, sql`posts where author = ${VOTER}`]
  ])("of %s", async (_what, filter, from) => {
    const posts = postsQuery(watched.db, "")
    const { total } = await posts(post(filter))
    const { rows } = await sql<{ n: string }>`select count(*) as n from ${from}`.execute(bulk)
    expect(total).toBe(Number(rows[0]?.n))
    for (const page of total > EXACT_MAX ? pagesOf(total) : [1, Math.ceil(total / PER_PAGE)]) {
      const found = idsOf(await posts(post({ ...filter, page })))
      expect([page, found]).toEqual([page, await byOffset(from, POST_ORDER.newest, page)])
    }
    for (const statement of watched.asked.filter((one) => !isWalk(one) && !isCount(one)))
      expect((await planOf(statement)).rows).toBeLessThanOrEqual(READ_MAX)
  })

  test("that words find end where exactness does", async () => {
    const posts = postsQuery(watched.db, "")
    const common = await posts(post({ q: "common text", page: 3 }))
    expect(common.total).toBe(EXACT_MAX)
    expect(idsOf(common)).toEqual(await byOffset(sql`posts`, POST_ORDER.newest, 3))
    expect((await posts(post({ q: "common", page: EXACT_MAX / PER_PAGE + 1 }))).items).toEqual([])
    expect((await posts(post({ q: "word77 ", sort: "oldest" }))).total).toBeGreaterThanOrEqual(POSTS / 5000)
  })

  test("are there at once, also where much is remembered", async () => {
    const posts = postsQuery(watched.db, "")
    await posts(post({ page: 5000 }))
    await sql`
      insert into posts select ${POSTS + 1}, author, kind, title, body, excerpt, tags, license, upvotes, downvotes, score,
        hot, created_at + interval '1 year', updated_at, edited_at, search from posts where id = 1`.execute(bulk)
    expect(idsOf(await posts(post()))[0]).toBe(POSTS + 1)
    await sql`delete from posts where id = ${POSTS + 1}`.execute(bulk)
  })
})

describe("threads", () => {
  test.each(THREAD_SORTS)("by %s", async (sort) => {
    const threads = threadsQuery(watched.db, "")
    for (const page of pagesOf(THREADS)) {
      const found = await threads(thread({ sort, page }))
      expect(found.total).toBe(THREADS)
      expect([page, idsOf(found)]).toEqual([page, await byOffset(sql`threads`, THREAD_ORDER[sort], page)])
    }
    await expectQuick("threads")
  })

  test("of a category, pinned ones first", async () => {
    const threads = threadsQuery(watched.db, "")
    const total = THREADS / 4
    for (const page of pagesOf(total)) {
      const found = idsOf(await threads(thread({ category: "c0", page })))
      const from = sql`threads where category = 'c0'`
      expect([page, found]).toEqual([page, await byOffset(from, `pinned desc, ${THREAD_ORDER.active}`, page)])
    }
    await expectQuick("threads")
  })

  test("of a status that few have", async () => {
    const found = await threadsQuery(watched.db, "")(thread({ status: "locked" }))
    expect(found.total).toBe(THREADS / 1000)
    expect(idsOf(found)).toEqual(await byOffset(sql`threads where status = 'locked'`, THREAD_ORDER.active, 1))
    await expectQuick("threads")
  })
})

describe("replies of a thread", () => {
  // Of those that are deleted, all but the last stand where another answers them.
  const TOTAL = REPLIES - REPLIES / 200 - 1

  test.each(REPLY_SORTS)("by %s", async (sort) => {
    const replies = repliesQuery(watched.db, "")
    for (const page of pagesOf(TOTAL)) {
      const found = await replies(reply({ sort, page }))
      expect(found.total).toBe(TOTAL)
      expect([page, idsOf(found)]).toEqual([page, await byOffset(standing, REPLY_ORDER[sort], page)])
    }
    await expectQuick("replies")
  })

  test("by score, the accepted one first", async () => {
    await sql`update threads set accepted_reply_id = 501 where id = ${THREAD}`.execute(bulk)
    const replies = repliesQuery(watched.db, "")
    for (const page of pagesOf(TOTAL)) {
      const found = await replies(reply({ sort: "top", page }))
      expect(found.total).toBe(TOTAL)
      expect([page, idsOf(found)]).toEqual([page, await byOffset(standing, `id = 501 desc, ${REPLY_ORDER.top}`, page)])
    }
    expect(idsOf(await replies(reply({ sort: "top", per_page: 1 })))).toEqual([501])
    await expectQuick("replies")
    await sql`update threads set accepted_reply_id = null where id = ${THREAD}`.execute(bulk)
  })

  test("a page of more text than fits is refused before a text is read", async () => {
    const at = sql`thread = ${THREAD} and id % 1000 < 30 and id < 1030`
    await sql`update replies set body = repeat('x', 99000) where ${at}`.execute(bulk)
    const replies = repliesQuery(watched.db, "")
    expect((await replies(reply({ per_page: 20 }))).items).toHaveLength(20)
    watched.forget()
    await expect(replies(reply({ per_page: 100 }))).rejects.toThrow(QueryRefused)
    expect(watched.asked.filter((one) => one.sql.includes('"r"."body"'))).toEqual([])
    expect((await replies(reply({ per_page: 100, page: 3 }))).items).toHaveLength(100)
    await sql`update replies set body = 'A reply' where ${at}`.execute(bulk)
  })

  test("of one that is gone there are none", async () => {
    expect(await repliesQuery(watched.db, "")(reply({ thread: THREADS + 1 }))).toEqual({ total: 0, items: [] })
  })
})

test("an agent's votes", async () => {
  const votes = votesQuery(watched.db)
  const input = { voter: VOTER, per_page: PER_PAGE, target_type: null, target_id: null }
  for (const page of pagesOf(VOTES)) {
    const { total, items } = await votes({ ...input, page })
    expect(total).toBe(VOTES)
    const ids = items.map(({ target_id }) => target_id)
    const targets = sql`(select target_id as id, created_at, id as vote from votes) v`
    expect([page, ids]).toEqual([page, await byOffset(targets, "created_at desc, vote desc", page)])
  }
  await expectQuick("votes")
})

describe("a feed", () => {
  const READ_FOR_FEED_MAX = 10 * FEED_ENTRIES

  test.each([
    ["everything", { category: null, author: null }],
    ["a category that many write in", { category: "c1", author: null }],
    ["a category that few wrote in, long ago", { category: "rare", author: null }],
    ["a category that nobody wrote in", { category: "none", author: null }],
    ["an author", { category: null, author: VOTER }]
  ])("of %s reads no more than it holds, by its indexes", async (_what, scope) => {
    await sql`update threads set category = 'rare' where id between 100 and 110`.execute(bulk)
    await settled(bulk, "threads")
    const { version, entries } = await feedQuery(watched.db, "")(scope)
    const ofThreads = scope.category === null ? sql`true` : sql`category = ${scope.category}`
    const ofAuthor = scope.author === null ? sql`true` : sql`author = ${scope.author}`
    const ofPosts = scope.category === null ? ofAuthor : sql`false`
    const { rows } = await sql<{ name: string }>`
      select type || id as name from (
        select 'thread' as type, id, created_at from threads where ${ofThreads} and ${ofAuthor}
        union all select 'post', id, created_at from posts where ${ofPosts}
      ) x order by created_at desc, type desc, id desc limit ${FEED_ENTRIES}`.execute(bulk)
    expect(entries.map(({ type, id }) => `${type}${id}`)).toEqual(rows.map(({ name }) => name))
    expect((await feedStandingQuery(watched.db)(scope)).version).toBe(version)
    const reads = watched.asked.filter(({ sql: text }) => /\b(posts|threads)\b/.test(text))
    expect(reads.length).toBeGreaterThan(1)
    for (const statement of reads) {
      const { types, rows: read } = await planOf(statement)
      expect(types.filter((type) => /^Seq Scan (posts|threads)$/.test(type))).toEqual([])
      expect(read).toBeLessThanOrEqual(READ_FOR_FEED_MAX)
    }
  })
})

test("a sitemap has the newest of each, by their indexes", async () => {
  const { posts, threads, agents } = await sitemapQuery(watched.db)()
  expect([posts.length, threads.length]).toEqual([SITEMAP_EACH_MAX, SITEMAP_EACH_MAX])
  expect([posts[0]?.id, threads[0]?.id]).toEqual([POSTS, THREADS])
  const { rows } = await sql<{ handle: string }>`
    select handle from agents where status in ('active', 'suspended') order by number desc`.execute(bulk)
  expect(agents).toEqual(rows.map(({ handle }) => handle))
  expect(posts[0]?.path).toMatch(new RegExp(`^${POSTS}(-[a-z0-9-]+)?$`))
  for (const statement of watched.asked) {
    const { types, rows: read } = await planOf(statement)
    expect(types.filter((type) => /^Seq Scan (posts|threads)$/.test(type))).toEqual([])
    expect(read).toBeLessThanOrEqual(SITEMAP_EACH_MAX)
  }
})

test("the thread of each category that was active last comes of two steps in an index", async () => {
  await sql`
    insert into categories (slug, name, description, position, threads)
    select distinct category, category, '', 0, 0 from threads on conflict do nothing`.execute(bulk)
  const latest = await latestQuery(watched.db)()
  const { rows } = await sql<{ slug: string; id: string }>`
    select distinct on (t.category) t.category as slug, t.id from threads t join categories c on c.slug = t.category
    order by t.category, t.last_activity_at desc, t.id desc`.execute(bulk)
  expect(rows.length).toBeGreaterThan(0)
  expect(new Map(latest.map(({ slug, id }) => [slug, id]))).toEqual(
    new Map(rows.map((row) => [row.slug, Number(row.id)]))
  )
  for (const statement of watched.asked) {
    const { types } = await planOf(statement)
    expect(types.filter((type) => /^Seq Scan threads$/.test(type))).toEqual([])
  }
})
