/** An older release on what a newer one has left: refused before anything is changed. */
import { sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openDatabase } from "../../actors/tables/database.ts"
import { migrateTables } from "../../ops/launcher/prepared.ts"
import { type OpenServers, openServers } from "../harness/index.ts"
import { refusal } from "../support/operator.ts"
import { TEST_SERVER_KEY } from "../support/service.ts"

let servers: OpenServers
beforeAll(async () => {
  servers = await openServers()
})
afterAll(() => servers?.stop())

test("tables of a newer release are refused by the name of the migration, and stay as they are", async () => {
  const db = openDatabase(servers.postgres.url)
  const applied = async (): Promise<unknown> =>
    (await sql<{ name: string }>`select name, timestamp from kysely_migration order by name`.execute(db)).rows
  try {
    const last = (await applied()) as ReadonlyArray<unknown>
    await sql`insert into kysely_migration (name, timestamp) values ('9998_later', now()::text), ('9999_last', now()::text)`.execute(
      db
    )
    const before = await applied()
    await expect(migrateTables(servers.postgres.url)).rejects.toThrow(
      "the tables of Postgres could not be brought up to date: a newer release has made them, " +
        "this one does not know the migrations 9998_later, 9999_last; " +
        "start the newer release, or name an empty database, which is filled from the log"
    )
    expect(await applied()).toEqual(before)
    await sql`delete from kysely_migration where name like '999%'`.execute(db)
    await migrateTables(servers.postgres.url)
    expect(await applied()).toEqual(last)
  } finally {
    await db.destroy()
  }
})

test("the operator's migrate says so in one line", async () => {
  const db = openDatabase(servers.postgres.url)
  try {
    await sql`insert into kysely_migration (name, timestamp) values ('9998_later', now()::text)`.execute(db)
    const desk = { natsUrl: servers.nats.url, databaseUrl: servers.postgres.url, serverKey: TEST_SERVER_KEY }
    expect(await refusal(desk, ["migrate"])).toMatch(/^a newer release has made them, .* the migrations 9998_later; /)
  } finally {
    await sql`delete from kysely_migration where name like '999%'`.execute(db)
    await db.destroy()
  }
})
