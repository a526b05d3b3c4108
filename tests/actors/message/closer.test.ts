/** Gaps between numbers of messages are given up after a second, however many there are. The table is a real one. */
import { type Kysely, sql } from "kysely"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { GapCloser } from "../../../actors/message/closer.ts"
import type { Append, AppendResult } from "../../../actors/log/commit.ts"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { type OpenServers, openServers, standingClock } from "../../harness/index.ts"
import { ModelLog } from "../engine/simulation.ts"

const GRACE_MS = 1_000
/** Of several batches. */
const MANY = 1_300

let servers: OpenServers
let db: Kysely<Database>
let log: ModelLog
let isFull: (subject: string) => boolean
let clock: ReturnType<typeof standingClock>
let closer: GapCloser

beforeAll(async () => {
  servers = await openServers()
  db = openDatabase(servers.postgres.url)
})
afterAll(async () => {
  await db?.destroy()
  await servers?.stop()
})

const append = (group: ReadonlyArray<Append>): Promise<AppendResult> =>
  Promise.resolve(
    group.some(({ subject }) => isFull(subject)) ? { ok: false, reason: "overloaded" } : log.append(group)
  )

beforeEach(async () => {
  await sql`truncate message_gaps`.execute(db)
  log = new ModelLog()
  isFull = () => false
  clock = standingClock()
  closer = new GapCloser({ db, log: { append } })
})

const noted = (from: number, to: number) =>
  sql`insert into message_gaps select n, now() from generate_series(${from}::bigint, ${to}::bigint) n`.execute(db)

test("all that were seen a second ago are given up by one look, and no younger one", async () => {
  await noted(1, MANY)
  await closer.look(clock)
  clock.move(GRACE_MS / 2)
  await noted(MANY + 1, MANY + 10)
  await closer.look(clock)
  expect(log.subjects.size).toBe(0)
  clock.move(GRACE_MS / 2)
  await closer.look(clock)
  expect(log.subjects.size).toBe(MANY)
  clock.move(GRACE_MS / 2)
  await closer.look(clock)
  expect(log.subjects.size).toBe(MANY + 10)
})

test("one that cannot be given up is tried again by the next look, and one that a message has is not", async () => {
  await noted(1, 3)
  await closer.look(clock)
  clock.move(GRACE_MS)
  isFull = (subject) => subject.endsWith(".2")
  await closer.look(clock)
  expect(log.subjects.size).toBe(2)
  isFull = () => false
  await closer.look(clock)
  expect([...log.subjects.values()].map((entries) => entries.length)).toEqual([1, 1, 1])
})

test("numbers that are noted anew, once none was left, are given up as others are", async () => {
  await noted(10, 10)
  await closer.look(clock)
  clock.move(GRACE_MS)
  await closer.look(clock)
  await sql`truncate message_gaps`.execute(db)
  await closer.look(clock)
  await noted(5, 5)
  await closer.look(clock)
  expect(log.subjects.size).toBe(1)
  clock.move(GRACE_MS)
  await closer.look(clock)
  expect(log.subjects.size).toBe(2)
})
