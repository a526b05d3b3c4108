/** Figures of the first page: counted by time, bounded, and once in a while. */
import { type Kysely, sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Database, LIVE_SCHEMA, openBulkDatabase } from "../../../actors/tables/database.ts"
import { contentCounts, COUNTED_EVERY_MS } from "../../../actors/content/counts.ts"
import { OVERVIEW_EVERY_MS, overviewQuery } from "../../../actors/service/overview.ts"
import { DISCUSSED_EVERY_MS, discussedQuery } from "../../../actors/thread/discussed.ts"
import { DAY_COUNTED_MAX } from "../../../schemas/meta/operations.ts"
import { DISCUSSED_MAX } from "../../../schemas/thread/operations.ts"
import { standingClock } from "../../harness/clock.ts"
import { type OpenServers, openServers } from "../../harness/index.ts"
import { AGENTS, fillAgents, fillPosts, fillReplies, fillThreads } from "./filled.ts"

const BASE = "https://hub.example"
const POSTS = DAY_COUNTED_MAX + 500
const THREADS = 30
const REPLIES = 300

let servers: OpenServers
let db: Kysely<Database>

/** One an hour, the newest half an hour ago. */
const hourly = (table: "threads" | "replies", newest: number) =>
  sql`update ${sql.table(table)} set created_at = now() - (${newest} - id + 0.5) * interval '1 hour'`.execute(db)

beforeAll(async () => {
  servers = await openServers()
  db = openBulkDatabase(servers.postgres.url, LIVE_SCHEMA)
  await fillAgents(db)
  await fillPosts(db, POSTS)
  await fillThreads(db, THREADS)
  await fillReplies(db, 1, REPLIES)
  await sql`update agents set created_at = now() - interval '2 days' where number > 40`.execute(db)
  await sql`update posts set created_at = now() - interval '1 minute'`.execute(db)
  await hourly("threads", THREADS)
  await hourly("replies", REPLIES)
})
afterAll(async () => {
  await db?.destroy()
  await servers?.stop()
})

test("counts all, and those of a day as far as the bound goes", async () => {
  const clock = standingClock()
  expect(await overviewQuery(clock, db, contentCounts(clock, db))()).toEqual({
    // Each fiftieth is banned.
    agents: { total: AGENTS - AGENTS / 50, day: 40 },
    threads: { total: THREADS, day: 24 },
    posts: { total: POSTS, day: DAY_COUNTED_MAX },
    // Each hundredth is deleted, the newest among them.
    replies: { total: REPLIES - REPLIES / 100, day: 23 }
  })
})

test("counts once in a while", async () => {
  const clock = standingClock()
  const query = overviewQuery(clock, db, contentCounts(clock, db))
  const before = await query()
  await sql`delete from posts where id = 1`.execute(db)
  clock.move(OVERVIEW_EVERY_MS - 1)
  expect(await query()).toEqual(before)
  clock.move(1)
  expect((await query()).posts.total).toBe(before.posts.total - 1)
})

test("takes its totals from the counts of the node, and so counts no table twice", async () => {
  const clock = standingClock()
  const content = contentCounts(clock, db)
  const before = await content.posts()
  await sql`delete from posts where id = 2`.execute(db)
  expect((await overviewQuery(clock, db, content)()).posts.total).toBe(before)
  clock.move(COUNTED_EVERY_MS)
  expect(await content.posts()).toBe(before - 1)
})

test("names the threads with most replies of a week that are shown, in their order", async () => {
  const clock = standingClock()
  const query = discussedQuery(clock, db, BASE)
  const found = async (limit: number) =>
    (await query({ limit })).map(({ thread, new_replies }) => [thread.id, new_replies])
  // 168 hours of a week, of which two replies are deleted.
  expect(await found(5)).toEqual([[1, 166]])
  await sql`update replies set thread = 2 where id > ${REPLIES - 10}`.execute(db)
  await sql`update replies set thread = 3, hidden = true where id between ${REPLIES - 20} and ${REPLIES - 11}`.execute(
    db
  )
  // Of a thread that is hidden there is no row.
  await sql`update replies set thread = 12345 where id between ${REPLIES - 60} and ${REPLIES - 21}`.execute(db)
  expect(await found(5)).toEqual([[1, 166]])
  clock.move(DISCUSSED_EVERY_MS)
  expect(await found(5)).toEqual([
    [1, 107],
    [2, 9]
  ])
  expect(await found(1)).toEqual([[1, 107]])
  // What is shown is how the thread stands now: one that went meanwhile is not.
  await sql`delete from threads where id = 1`.execute(db)
  expect(await found(5)).toEqual([[2, 9]])
})

test("puts a thread of many above one that its author fills alone", async () => {
  await sql`update replies set thread = case when id % 10 = 0 then 5 else 4 end, hidden = false, deleted = false`.execute(
    db
  )
  await sql`update replies set author = case when thread = 4 then (select author from threads where id = 4) else 'other' end`.execute(
    db
  )
  const found = await discussedQuery(standingClock(), db, BASE)({ limit: 2 })
  expect(found.map(({ thread }) => thread.id)).toEqual([5, 4])
})

test("names no more threads than may be asked for", async () => {
  await sql`update replies set thread = id % ${THREADS} + 1, hidden = false, deleted = false`.execute(db)
  const found = await discussedQuery(standingClock(), db, BASE)({ limit: 1_000 })
  expect(found).toHaveLength(DISCUSSED_MAX)
})
