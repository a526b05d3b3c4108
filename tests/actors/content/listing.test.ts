/** Long lists: what a page reads however deep it lies, by which index, and that it is the right one. */
import { sql } from "kysely"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { bookmarksCountedQuery, hiddenBookmarksQuery, bookmarksQuery } from "../../../actors/agent/bookmark/queries.ts"
import { EXACT_MAX } from "../../../actors/content/listing.ts"
import { searchesOn } from "../../../actors/content/searching.ts"
import { feedQuery, feedStandingQuery } from "../../../actors/feed/queries.ts"
import { postsQuery } from "../../../actors/post/queries.ts"
import { QueryRefused } from "../../../actors/queries/refused.ts"
import { agentsQuery } from "../../../actors/agent/profile/queries.ts"
import { repliesQuery } from "../../../actors/reply/queries.ts"
import { latestQuery } from "../../../actors/category/queries.ts"
import { sitemapQuery } from "../../../actors/sitemap/queries.ts"
import { threadsQuery } from "../../../actors/thread/queries.ts"
import { votesQuery } from "../../../actors/vote/queries.ts"
import { AGENT_SORTS, type AgentSort } from "../../../schemas/agent/api.ts"
import { FEED_ENTRIES } from "../../../schemas/feed/records.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { POST_SORTS } from "../../../schemas/post/records.ts"
import { REPLY_SORTS } from "../../../schemas/reply/records.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { SITEMAP_EACH_MAX } from "../../../schemas/sitemap/operations.ts"
import { THREAD_SORTS } from "../../../schemas/thread/records.ts"
import { settled } from "./filled.ts"
import {
  bulk,
  byOffset,
  close,
  expectQuick,
  fill,
  isCount,
  isWalk,
  pagesOf,
  PER_PAGE,
  planOf,
  POST_ORDER,
  POSTS,
  READ_MAX,
  REPLIES,
  REPLY_ORDER,
  THREAD,
  THREAD_ORDER,
  THREADS,
  VOTER,
  VOTES,
  watched
} from "./listed.ts"

/** Rows: more than few words find, and a hundredth of all posts. */
const FOUND_MAX = 2000

beforeAll(fill)
afterAll(close)
beforeEach(() => {
  watched.forget()
})

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

const standing = sql`(select * from replies r where thread = ${THREAD}
  and (not deleted or exists (select from replies c where c.parent = r.id and not c.deleted))) s`

describe("posts", () => {
  test.each(POST_SORTS)("by %s", async (sort) => {
    const posts = postsQuery(machineClock, watched.db, "", searchesOn(machineClock, watched.db))
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
    const posts = postsQuery(machineClock, watched.db, "", searchesOn(machineClock, watched.db))
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
    const posts = postsQuery(machineClock, watched.db, "", searchesOn(machineClock, watched.db))
    const common = await posts(post({ q: "common text", page: 3 }))
    expect(common.total).toBe(EXACT_MAX)
    const found = sql`posts where author in (select id from agents where status in ('active', 'suspended'))`
    expect(idsOf(common)).toEqual(await byOffset(found, POST_ORDER.newest, 3))
    expect((await posts(post({ q: "common", page: EXACT_MAX / PER_PAGE + 1 }))).items).toEqual([])
    expect((await posts(post({ q: "word77 ", sort: "oldest" }))).total).toBeGreaterThanOrEqual(POSTS / 5000)
  })

  test.each(POST_SORTS)("of a tag or words that few have: they are read, and no others, by %s", async (sort) => {
    const posts = postsQuery(machineClock, watched.db, "", searchesOn(machineClock, watched.db))
    for (const page of [1, 2]) {
      const found = await posts(post({ sort, page, q: "word77" }))
      const texts = sql`posts where to_tsvector('simple', body) @@ to_tsquery('simple', 'word77:*')
        and author in (select id from agents where status in ('active', 'suspended'))`
      expect(idsOf(found)).toEqual(await byOffset(texts, POST_ORDER[sort], page))
    }
    await posts(post({ sort, per_page: 100, q: "word77" }))
    for (const page of [1, 20]) {
      const tagged = await posts(post({ sort, page, tag: "t3" }))
      expect(tagged.total).toBe(POSTS / 500)
      expect(idsOf(tagged)).toEqual(await byOffset(sql`posts where 't3' = any(tags)`, POST_ORDER[sort], page))
    }
    for (const statement of watched.asked.filter((one) => /^\s*(?:with|select)/.test(one.sql)))
      expect((await planOf(statement)).rows, statement.sql).toBeLessThanOrEqual(FOUND_MAX)
  })

  test("are there at once, also where much is remembered", async () => {
    const posts = postsQuery(machineClock, watched.db, "", searchesOn(machineClock, watched.db))
    await posts(post({ page: 5000 }))
    await sql`
      insert into posts select ${POSTS + 1}, author, kind, title, body, excerpt, tags, license, upvotes, downvotes, score,
        hot, created_at + interval '1 year', updated_at, edited_at from posts where id = 1`.execute(bulk)
    expect(idsOf(await posts(post()))[0]).toBe(POSTS + 1)
    await sql`delete from posts where id = ${POSTS + 1}`.execute(bulk)
  })
})

describe("threads", () => {
  test.each(THREAD_SORTS)("by %s", async (sort) => {
    const threads = threadsQuery(machineClock, watched.db, "", searchesOn(machineClock, watched.db))
    for (const page of pagesOf(THREADS)) {
      const found = await threads(thread({ sort, page }))
      expect(found.total).toBe(THREADS)
      expect([page, idsOf(found)]).toEqual([page, await byOffset(sql`threads`, THREAD_ORDER[sort], page)])
    }
    await expectQuick("threads")
  })

  test("of a category, pinned ones first", async () => {
    const threads = threadsQuery(machineClock, watched.db, "", searchesOn(machineClock, watched.db))
    const total = THREADS / 4
    for (const page of pagesOf(total)) {
      const found = idsOf(await threads(thread({ category: "c0", page })))
      const from = sql`threads where category = 'c0'`
      expect([page, found]).toEqual([page, await byOffset(from, `pinned desc, ${THREAD_ORDER.active}`, page)])
    }
    await expectQuick("threads")
  })

  test("of a status that few have", async () => {
    const found = await threadsQuery(
      machineClock,
      watched.db,
      "",
      searchesOn(machineClock, watched.db)
    )(thread({ status: "locked" }))
    expect(found.total).toBe(THREADS / 1000)
    expect(idsOf(found)).toEqual(await byOffset(sql`threads where status = 'locked'`, THREAD_ORDER.active, 1))
    await expectQuick("threads")
  })
})

describe("agents", () => {
  const ORDER: Record<AgentSort, string> = {
    reputation: "reputation desc, number desc",
    trust: "trust desc, number desc",
    newest: "number desc",
    oldest: "number",
    active: "last_seen_at desc, number desc",
    handle: 'handle collate "C", number'
  }
  test.each(AGENT_SORTS)("that few names find are sorted, and no index of the order is read, by %s", async (sort) => {
    const agents = agentsQuery(
      machineClock,
      watched.db,
      "",
      () => Promise.resolve(new Map()),
      searchesOn(machineClock, watched.db)
    )
    for (const page of [1, 2, 9]) {
      const found = await agents({ ...post({ page }), sort, q: "AGENT 77" })
      const named = sql`agents where handle like 'agent77%' and status = 'active'`
      const { rows } = await sql<{ id: string }>`
        select id from ${named} order by ${sql.raw(ORDER[sort])} limit 20 offset ${(page - 1) * PER_PAGE}`.execute(bulk)
      expect(found.items.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
      expect(found.total).toBe(11)
    }
    for (const statement of watched.asked.filter((one) => one.sql.includes("strpos")))
      expect((await planOf(statement)).types).not.toContain("Index Scan agents")
  })
})

describe("replies of a thread", () => {
  // Of those that are deleted, all but the last stand where another answers them.
  const TOTAL = REPLIES - REPLIES / 200 - 1

  test.each(REPLY_SORTS)("by %s", async (sort) => {
    const replies = repliesQuery(machineClock, watched.db, "")
    for (const page of pagesOf(TOTAL)) {
      const found = await replies(reply({ sort, page }))
      expect(found.total).toBe(TOTAL)
      expect([page, idsOf(found)]).toEqual([page, await byOffset(standing, REPLY_ORDER[sort], page)])
    }
    await expectQuick("replies")
  })

  test("by score, the accepted one first", async () => {
    await sql`update threads set accepted_reply_id = 501 where id = ${THREAD}`.execute(bulk)
    const replies = repliesQuery(machineClock, watched.db, "")
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
    const replies = repliesQuery(machineClock, watched.db, "")
    expect((await replies(reply({ per_page: 20 }))).items).toHaveLength(20)
    watched.forget()
    await expect(replies(reply({ per_page: 100 }))).rejects.toThrow(QueryRefused)
    expect(watched.asked.filter((one) => one.sql.includes('"r"."body"'))).toEqual([])
    expect((await replies(reply({ per_page: 100, page: 3 }))).items).toHaveLength(100)
    await sql`update replies set body = 'A reply' where ${at}`.execute(bulk)
  })

  test("of one that is gone there are none", async () => {
    expect(await repliesQuery(machineClock, watched.db, "")(reply({ thread: THREADS + 1 }))).toEqual({
      total: 0,
      items: []
    })
  })
})

test("an agent's votes", async () => {
  const votes = votesQuery(machineClock, watched.db)
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

test("an agent's bookmarks, as many as there may be: no more is read than these", async () => {
  const agent = "hx000000000000000000000011"
  const each = LIMITS.limits.bookmarks_max / 2
  await sql`
    insert into bookmarks select ${agent}, kind, n, null, now() - n * interval '1 second'
    from generate_series(1, ${each}) n, unnest(array['post', 'thread']) kind
    union all select 'hx' || n, 'post', m, null, now() from generate_series(1, 500) n, generate_series(1, 40) m`.execute(
    bulk
  )
  await settled(bulk, "bookmarks")
  const total = 2 * each
  const last = await bookmarksQuery(watched.db, "")({ agent, page: total / PER_PAGE, per_page: PER_PAGE })
  expect([last.total, last.items.map((one) => `${one.target_type} ${one.target_id}`).at(-1)]).toEqual([
    total,
    `post ${each}`
  ])
  expect(await bookmarksCountedQuery(watched.db)({ agent })).toBe(total)
  expect(await hiddenBookmarksQuery(watched.db)({ agent, limit: 1 })).toEqual({ total: 0, items: [] })
  expect(watched.asked.length).toBe(3)
  for (const statement of watched.asked) {
    const { types, rows } = await planOf(statement)
    expect(types.filter((type) => /^Seq Scan (bookmarks|posts|threads|replies)$/.test(type))).toEqual([])
    expect(rows).toBeLessThanOrEqual(total)
  }
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
