/** Search over very many rows: what is found, by which index, and that nothing which is typed costs much. */
import { type Kysely, type KyselyPlugin, RawNode, sql } from "kysely"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { searchesOn, searchLanes } from "../../../actors/content/searching.ts"
import { askedBy } from "../../../actors/queries/serve.ts"
import { type Database, LIVE_SCHEMA, openBulkDatabase } from "../../../actors/tables/database.ts"
import { postsQuery } from "../../../actors/post/queries.ts"
import { PLACES_OF_AUTHOR, searchQuery } from "../../../actors/search/queries.ts"
import { machineClock, wallMs } from "../../../schemas/runtime/clock.ts"
import { RANKED_MAX, SEARCH_TYPES, type SearchType } from "../../../schemas/search/records.ts"
import { type OpenServers, openServers } from "../../harness/index.ts"
import { type Watched, watchedDatabase } from "../../support/asked.ts"
import { growth, GROWTH_MAX, leastOf } from "../../support/cost.ts"
import { databaseCost, MEASURABLE_MS } from "../../support/database-cost.ts"
import { AGENTS, fillAgents, fillPosts, settled } from "../content/filled.ts"

const POSTS = 100_000
let servers: OpenServers
let bulk: Kysely<Database>
let watched: Watched

beforeAll(async () => {
  servers = await openServers()
  bulk = openBulkDatabase(servers.postgres.url, LIVE_SCHEMA)
  await fillAgents(bulk)
  await fillPosts(bulk, POSTS)
  // One letter each, all of them, in many rows: the most that short words can find.
  await sql`
    update searched_posts set search = search || to_tsvector('simple', 'b c d e f g h i j k l m n o p q r s t u v w x y z')
    where id % 2 = 0`.execute(bulk)
  await settled(bulk, "searched_posts")
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

const lanes = searchLanes(machineClock)
/** All take turns with each other. */
const searching = (db: Kysely<Database>) => searchesOn(machineClock, db, lanes)
const nobody = () => Promise.resolve(new Map())

/** On a slow machine a search may take longer than it has. Only one test here is about that time. */
const patience: KyselyPlugin = {
  transformQuery: ({ node }) =>
    node.kind === "RawNode" && node.sqlFragments[0]?.startsWith("set local statement_timeout") === true
      ? RawNode.createWithSql("set local statement_timeout = 0")
      : node,
  transformResult: ({ result }) => Promise.resolve(result)
}
const patient = (): Kysely<Database> => watched.db.withPlugin(patience)

const search = (q: string, type: SearchType = "posts", page = 1) =>
  searchQuery("", nobody, searching(patient()))({ q, type, page, per_page: 20, viewer: null })

test("of what very many have the newest are ranked, and theirs left out who are banned", async () => {
  const found = await search("common text")
  expect(found.total).toBe(RANKED_MAX)
  const ids = found.items.map(({ id }) => Number(id))
  expect(ids[0]).toBe(POSTS)
  expect(ids).toEqual(ids.toSorted((one, other) => other - one))
  const banned = ids.filter((id) => ((id % AGENTS) + 1) % 50 === 0)
  expect(banned).toEqual([])
  const pages = found.total / 20
  expect((await search("common", "posts", pages)).items).toHaveLength(20)
  expect((await search("common", "posts", pages + 1)).items).toEqual([])
})

test("who writes very much takes the places of one, and who is banned takes none", async () => {
  const [others, spammers, each] = [300, 26, 400]
  const posted = (first: number, author: string, count: number) => sql`
    insert into searched_posts select ${first}::int + n, ${sql.raw(author)}, ${"'spammed':1C"}::tsvector
    from generate_series(1, ${count}::int) n`
  try {
    await sql`
      insert into agents select (jsonb_populate_record(a, jsonb_build_object('id', 'spammer' || n, 'number', 100000 + n,
        'handle', 'spammer' || n, 'public_key', 'spammer' || n))).*
      from agents a, generate_series(1, ${spammers}::int) n where a.number = 1`.execute(bulk)
    await posted(POSTS, "'hx' || lpad((n + 1000)::text, 24, '0')", others).execute(bulk)
    await posted(POSTS + others, `'spammer' || (n % ${spammers} + 1)`, spammers * each).execute(bulk)
    const numbers = Array.from({ length: others }, (_, index) => 1001 + index)
    const shown = numbers.filter((number) => number % 50 !== 0).length
    expect((await search("spammed")).total).toBe(shown + spammers * PLACES_OF_AUTHOR)
    await sql`update agents set status = 'banned' where handle like 'spammer%'`.execute(bulk)
    expect((await search("spammed")).total).toBe(shown)
  } finally {
    await sql`delete from searched_posts where id > ${POSTS}`.execute(bulk)
    await sql`delete from agents where handle like 'spammer%'`.execute(bulk)
  }
})

test("who writes hides nobody, however few they are and however much they write", async () => {
  try {
    const flood = sql`
      select ${POSTS}::int + n as id, case when n = 1 then 'hx' || lpad('1001', 24, '0')
        when n <= 4001 then 'hx' || lpad('1002', 24, '0') when n <= 8001 then 'hx' || lpad('1003', 24, '0')
        else 'hx' || lpad('1004', 24, '0') end as author
      from generate_series(1, 26000) n`
    await sql`insert into searched_posts select id, author, ${"'flooded':1C"}::tsvector from (${flood}) f`.execute(bulk)
    await sql`
      insert into posts select (jsonb_populate_record(p, to_jsonb(f))).* from posts p, (${flood}) f where p.id = 1`.execute(
      bulk
    )
    const { total, items } = await search("flooded", "posts", 8)
    expect([total, items.map(({ id }) => Number(id))]).toEqual([
      3 * PLACES_OF_AUTHOR + 1,
      expect.arrayContaining([POSTS + 1])
    ])
  } finally {
    await sql`delete from posts where id > ${POSTS}`.execute(bulk)
    await sql`delete from searched_posts where id > ${POSTS}`.execute(bulk)
  }
})

test("of few all are found, what is in the title first", async () => {
  const found = await search("777")
  expect(found.items[0]).toMatchObject({ id: 777, match: { field: "title", excerpt: "Post **777**" } })
  const { items, total } = await search("word777 ")
  // Those whose number goes on, too: the blank at the end is none.
  expect(total).toBeGreaterThanOrEqual(20)
  expect(items.every(({ match }) => match.excerpt.includes("**word777"))).toBe(true)
})

test("an index finds words, handles and names", async () => {
  await search("word4321")
  await search("agent1234", "agents")
  const plans: Array<string> = []
  for (const { sql: text, parameters } of watched.asked.filter((one) => /@@|word_similarity\(/.test(one.sql))) {
    const explained = await watched.pool.query<{ "QUERY PLAN": string }>(`explain ${text}`, [...parameters])
    plans.push(explained.rows.map((row) => row["QUERY PLAN"]).join("\n"))
  }
  expect(plans).toEqual([
    expect.stringContaining("on searched_posts_search"),
    expect.stringContaining("on agents_alike")
  ])
})

test("agents: the exact handle first, then those that begin so", async () => {
  const { items } = await search("AGENT12", "agents")
  expect(items[0]).toMatchObject({ handle: "agent12", match: { field: "handle", excerpt: "**agent12**" } })
  expect(items.slice(1, 5).every((item) => "handle" in item && item.handle.startsWith("agent12"))).toBe(true)
  const typo = (await search("agnet77", "agents")).items
  expect(typo.length).toBeGreaterThan(0)
})

const HOSTILE: ReadonlyArray<string> = [
  "a ".repeat(250),
  "the of and to in a is that it for ".repeat(14),
  [..."abcdefghijklmnopqrstuvwxyz"].map((letter) => `${letter}*`).join(" "),
  [..."abcdefghijklmnopqrstuvwxyz"].join(" or "),
  `"${[..."abcdefghijklmnopqrstuvwxyz"].join(" ")}"`,
  `"b z" "c y" "d x" -"e w"`,
  "-a -b -c -common",
  "common -a",
  '"'.repeat(500),
  '"a '.repeat(160),
  "-".repeat(500),
  "or ".repeat(166),
  "-(".repeat(250),
  '-""'.repeat(160),
  "- ".repeat(250),
  "(((&|!<->:*",
  "'a':* & !! | <2> 'b':A",
  "\0\0\0",
  "\ud800 common \udfff",
  "'; drop table posts; --",
  "\\'\\\\",
  "a-b-".repeat(125),
  "http://a.bc/".repeat(41),
  "x".repeat(5000),
  "wo",
  "w",
  "😀".repeat(500),
  "ﷺ".repeat(500),
  "㎯/".repeat(250),
  "e\u0301".repeat(250),
  "數".repeat(500),
  "% _ % _",
  "@",
  "\u202e\u0000\u200b"
]

/** The cost of a search as people make them, measured once for all others. */
let ofUsual: Promise<number> | undefined
const USUAL_TRIES = 9

test.each(HOSTILE)("%j is a query, and costs no more than another", async (q) => {
  const posts = postsQuery(machineClock, patient(), "", searching(patient()))
  const costOf = await databaseCost(watched.pool)
  const usual = () => (ofUsual ??= leastOf(USUAL_TRIES, () => costOf(() => search("common text"))))
  const list = { page: 1, per_page: 20, sort: "hot", kind: null, author: null, tag: null, viewer: null } as const
  for (const type of SEARCH_TYPES) {
    const { total, items } = await search(q, type)
    const cost = () => costOf(() => search(q, type))
    expect(await growth(cost, usual, MEASURABLE_MS), type).toBeLessThan(GROWTH_MAX)
    expect(total).toBeLessThanOrEqual(RANKED_MAX + 1)
    expect(items.length).toBeLessThanOrEqual(20)
  }
  const cost = () => costOf(() => posts({ ...list, q }))
  expect(await growth(cost, usual, MEASURABLE_MS)).toBeLessThan(GROWTH_MAX)
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from posts`.execute(watched.db)
  expect(rows[0]?.n).toBe(POSTS)
})

const asleep = async () =>
  (await watched.pool.query("select 1 from pg_stat_activity where wait_event = 'PgSleep'")).rows

test("a search of many statements is ended too", async () => {
  const late = searching(watched.db).run(async (trx) => {
    for (let time = 0; time < 100; time++) await sql`select pg_sleep(0.05)`.execute(trx)
  }, 100)
  await expect(late).rejects.toThrow("The query took too long.")
  expect((await search("common")).items).toHaveLength(20)
})

test("a search is ended when its asker gives up", async () => {
  const sleeping = (trx: Kysely<Database>) => sql`select pg_sleep(60)`.execute(trx)
  const asker = { client: "late", answeredBy: wallMs(machineClock) + 300 }
  const late = askedBy(asker, () => searching(watched.db).run(sleeping, 60_000))
  await expect(late).rejects.toMatchObject({ refusal: { code: "overloaded" } })
  expect(await asleep()).toEqual([])
})

test("a search that needs longer than a first try is run again among the long ones, which hold up no other", async () => {
  const tried = new Set<number>()
  let long = 0
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  const slow = [0, 1, 2, 3, 4].map((place) =>
    // Two long ones of one client would not run beside each other for longer than a second (kit/lanes.ts).
    askedBy({ client: `slow ${place}`, answeredBy: Number.POSITIVE_INFINITY }, () =>
      searching(watched.db).run(async (trx) => {
        if (!tried.has(place)) {
          tried.add(place)
          await sql`select pg_sleep(60)`.execute(trx)
        }
        long++
        await over
        return place
      }, 60_000)
    )
  )
  try {
    await expect.poll(() => [tried.size, long], { timeout: 60_000 }).toEqual([5, 2])
    expect((await search("common")).items).toHaveLength(20)
  } finally {
    end()
  }
  expect(await Promise.all(slow)).toEqual([0, 1, 2, 3, 4])
  expect(long).toBe(5)
})

test("a search that takes longer is ended, and leaves its line to others", async () => {
  const late = Array.from({ length: 8 }, () =>
    searching(watched.db).run((trx) => sql`select pg_sleep(60)`.execute(trx), 200)
  )
  for (const one of await Promise.allSettled(late))
    expect(one).toMatchObject({ status: "rejected", reason: { refusal: { code: "overloaded" } } })
  expect(await asleep()).toEqual([])
  expect((await search("common")).items).toHaveLength(20)
})
