/** Counters of an older copy: none gives a number that the tables hold. On real servers. */
import { Effect, Fiber } from "effect"
import { type Kysely, sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { IndexTable } from "../../../actors/log/archive/index-table.ts"
import { countUp, nextNumber } from "../../../actors/log/counters.ts"
import { countersBehind, countersRaised, raisingCounters } from "../../../actors/projections/numbered.ts"
import { up } from "../../../ops/migrations/0034_archive_numbers.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { type OwnBus, startOwnBus } from "../engine/bus.ts"

let bus: OwnBus
let db: Kysely<Database>
beforeAll(async () => {
  bus = await startOwnBus()
  db = openDatabase(bus.servers.postgres.url)
})
afterAll(async () => {
  await db?.destroy()
  await bus?.stop()
})

test("a counter behind its numbers is told, and counted up to the highest", async () => {
  const message = { sender: "a", recipient: "b", conversation: "1-2", body: "Text", created_at: new Date() }
  await db
    .insertInto("messages")
    .values({ ...message, id: 500 })
    .execute()
  await countUp(bus.nats, "message", 3)
  await countUp(bus.nats, "post", 7)
  expect(await countersBehind(bus.nats, db)).toEqual([{ counter: "message", given: 3, highest: 500 }])
  const running = Effect.runFork(raisingCounters(bus.nats, db))
  await waitFor(async () => (await countersBehind(bus.nats, db)).length === 0, { describe: "it to be counted up" })
  await Effect.runPromise(Fiber.interrupt(running))
  expect([await nextNumber(bus.nats, "message"), await nextNumber(bus.nats, "post")]).toEqual([501, 8])
})

test("a counter behind what is archived is counted up, also where the tables are empty", async () => {
  const segment = { first: 1, last: 9, sha256: "0".repeat(64) }
  await new IndexTable(db).alone((writer) =>
    writer.add(
      segment,
      new Map(
        [subjects.event("reply", "900"), subjects.event("reply", "89"), subjects.event("delivery", "40")].map(
          (subject) => [subject, { seq: 9, expires: null }] as const
        )
      )
    )
  )
  const { numbers: kept } = await db.selectFrom("archive_segments").select("numbers").executeTakeFirstOrThrow()
  expect(kept).toEqual({ reply: 900, delivery: 40 })
  expect(await countersBehind(bus.nats, db)).toEqual([
    { counter: "notification", given: 0, highest: 40 },
    { counter: "reply", given: 0, highest: 900 }
  ])
  await Effect.runPromise(countersRaised(bus.nats, db))
  expect([await nextNumber(bus.nats, "reply"), await nextNumber(bus.nats, "notification")]).toEqual([901, 41])
})

test("an index that was made before it knew numbers has them after its migration", async () => {
  await sql`alter table archive_segments drop column numbers`.execute(db)
  await sql`truncate archive_actors, archive_segments`.execute(db)
  await sql`insert into archive_actors (kind, id, seq) values
    ('reply', '9', 1), ('reply', '1200', 2), ('post', '31', 3), ('handle', 'bob', 4), ('handle', '0777', 5)`.execute(db)
  await sql`insert into archive_segments (first, last, sha256) values (1, 3, 'a'), (4, 9, 'b')`.execute(db)
  await up(db.withTables<never>() as unknown as Kysely<unknown>)
  const rows = await db.selectFrom("archive_segments").select(["last", "numbers"]).orderBy("last").execute()
  expect(rows).toEqual([
    { last: "3", numbers: {} },
    { last: "9", numbers: { reply: 1200, post: 31 } }
  ])
})
