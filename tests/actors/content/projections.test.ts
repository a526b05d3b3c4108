/** Tables of posts, threads and replies: the same rows however the log is cut into batches, in few statements. */
import fc from "fast-check"
import { sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { postProjection } from "../../../actors/post/projection.ts"
import type { PostEvent } from "../../../actors/post/state.ts"
import type { Message, Projection } from "../../../actors/projections/projection.ts"
import { threadProjection } from "../../../actors/thread/projection.ts"
import { type OpenServers, openServers } from "../../harness/index.ts"
import { type Watched, watchedDatabase } from "../../support/asked.ts"
import { growth, GROWTH_MAX } from "../../support/cost.ts"
import { databaseCost, MEASURABLE_MS } from "../../support/database-cost.ts"
import { logOf, Played, postLog, type ThreadAct, threadLog } from "./logs.ts"

let servers: OpenServers
let watched: Watched

beforeAll(async () => {
  servers = await openServers()
  watched = watchedDatabase(servers.postgres.url)
})
afterAll(async () => {
  await watched?.db.destroy()
  await servers?.stop()
})

const apply = async (projection: Projection, batch: ReadonlyArray<Message>): Promise<void> => {
  const change = projection.changes(batch)
  if (change !== null) await watched.db.transaction().execute(change)
}

/** All rows that the log makes, applied in batches of such a size. */
const rowsBy = async (projection: Projection, log: ReadonlyArray<Message>, size: number): Promise<unknown> => {
  await sql`truncate ${sql.join(projection.tables.map(({ name }) => sql.table(name)))}`.execute(watched.db)
  for (let from = 0; from < log.length; from += size) await apply(projection, log.slice(from, from + size))
  const tables = projection.tables.map(({ name }) =>
    sql`select * from ${sql.table(name)} order by id`.execute(watched.db).then(({ rows }) => rows)
  )
  return Promise.all(tables)
}

test.each([
  ["posts", postProjection, postLog],
  ["threads and replies", threadProjection, threadLog]
])("%s: all at once, one by one, or in between", async (_what, projection, logs) => {
  await fc.assert(
    fc.asyncProperty(logs, fc.integer({ min: 2, max: 9 }), async (log, size) => {
      const one = await rowsBy(projection, log, 1)
      expect(await rowsBy(projection, log, size)).toEqual(one)
      expect(await rowsBy(projection, log, log.length)).toEqual(one)
    }),
    { numRuns: 40 }
  )
})

test("a thread says of its replies what its replies are", async () => {
  await fc.assert(
    fc.asyncProperty(threadLog, async (log) => {
      await rowsBy(threadProjection, log, 5)
      const { rows } = await sql`
        select t.id from threads t where t.reply_count <>
          (select count(*) from replies r where r.thread = t.id and not r.deleted)`.execute(watched.db)
      expect(rows).toEqual([])
    }),
    { numRuns: 20 }
  )
})

const MANY = 1000

test("a batch is a few statements, however many rows it has", async () => {
  const threads = Array.from({ length: MANY }, (_, index) => index + 1)
  const played = new Played()
  for (const id of threads) played.open(id)
  const acts: ReadonlyArray<ThreadAct> = [
    { act: "reply", body: "one", answers: false },
    { act: "reply.edit", body: "two" },
    { act: "reply.vote", upvotes: 1, downvotes: 0 },
    { act: "accept" },
    { act: "vote", upvotes: 2, downvotes: 0 },
    { act: "edit", title: "new", body: undefined, category: undefined }
  ]
  await rowsBy(threadProjection, [], 1)
  const begun = played.written.length
  for (const id of threads) for (const act of acts) played.act(id, act)
  const log = logOf(played.written)
  for (const batch of [log.slice(0, begun), log.slice(begun)]) {
    watched.forget()
    await apply(threadProjection, batch)
    expect(watched.asked.length).toBeLessThanOrEqual(12)
  }
})

test("rows beyond what one statement takes go in several", async () => {
  const body = "😀 ".repeat(50_000)
  const texts = { title: "Long", body, tags: [], license: null, mentions: [] }
  const published: PostEvent = { type: "post.published", v: 1, author: "a", kind: "note", ...texts, text: "t" }
  const log = logOf(Array.from({ length: 120 }, (_, index) => ({ kind: "post", id: index + 1, event: published })))
  watched.forget()
  await rowsBy(postProjection, log, log.length)
  const inserts = watched.asked.filter(({ sql: text }) => text.includes("insert into posts"))
  expect(inserts.length).toBeGreaterThan(1)
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from posts where length(body) = 100000`.execute(
    watched.db
  )
  expect(rows[0]?.n).toBe(120)
})

/** Each of a post's longest length: what a parser of words could need long for, or make too much of. */
const HOSTILE: ReadonlyArray<string> = [
  "a-",
  "a.",
  "a@",
  "/a",
  "a/",
  "a.b/c-",
  "http://a.bc/",
  "a.bc/㎯",
  "㎯",
  "㎯.㎯/㎯ ",
  "<!--",
  "<!-- ",
  "<!",
  "<?",
  "<a",
  "</a",
  "<a href='",
  "&a",
  "&#1;",
  "1e",
  "-1.",
  "'",
  "\\",
  "ﷺ",
  "𐐀-𐐁 ",
  "é",
  "e\u0301",
  "ﬃ",
  "數",
  "東京 ",
  "สวัสดี",
  "\u0315\u0300",
  "x"
]

test.each(HOSTILE)("a body of %j alone is read at the cost of its length", async (part) => {
  const costOf = await databaseCost(watched.pool)
  const reading = (chars: number) => {
    const body = [...part.repeat(Math.ceil(chars / [...part].length))].slice(0, chars).join("")
    const texts = { title: "Hostile", body, tags: [], license: null, mentions: [] }
    const event: PostEvent = { type: "post.published", v: 1, author: "a", kind: "note", ...texts, text: "t" }
    const log = logOf([{ kind: "post", id: 1, event }])
    return () => costOf(() => rowsBy(postProjection, log, 1))
  }
  expect(await growth(reading(100_000), reading(12_500), MEASURABLE_MS)).toBeLessThan(GROWTH_MAX)
})

test("a body of nothing but different words has the first of them indexed, behind those of the title", async () => {
  // Each pair is another one: the second half goes over the same characters in other steps.
  const letter = (index: number) => String.fromCodePoint(0x20000 + (index % 40_000))
  const body = Array.from({ length: 50_000 }, (_, index) => letter(index < 40_000 ? index : 7 * index)).join("")
  const texts = { title: "Wide", body, tags: [], license: null, mentions: [] }
  const event: PostEvent = { type: "post.published", v: 1, author: "a", kind: "note", ...texts, text: "t" }
  await rowsBy(postProjection, logOf([{ kind: "post", id: 1, event }]), 1)
  const { rows } = await sql<{ n: number; most: boolean; titled: boolean; begun: boolean; ended: boolean }>`
    select (select count(*)::int from unnest(search) where lexeme not like '*%') as n, length(search) <= 14000 as most,
      search @@ 'wide'::tsquery as titled,
      search @@ ${`'${body.slice(0, 4)}'`}::tsquery as begun, search @@ ${`'${body.slice(-4)}'`}::tsquery as ended
    from searched_posts`.execute(watched.db)
  // Each update of a row puts all of them into the index again: with 83,000 of them it took a quarter of a second.
  expect(rows[0]).toEqual({ n: 6000, most: true, titled: true, begun: true, ended: false })
})
