/** Connections for queries, on a real Postgres: slow statements of some clients, and quick ones of others. */
import { type Kysely, sql } from "kysely"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { openReads } from "../../actors/kit/reads.ts"
import { QueryRefused } from "../../actors/queries/refused.ts"
import { askedBy } from "../../actors/queries/serve.ts"
import { type Database, openDatabase } from "../../actors/tables/database.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { openServers, type OpenServers, waitFor } from "../harness/index.ts"

/** More than there are connections. */
const SLOW = 12
const MANY = 60

let servers: OpenServers
let reads: Kysely<Database>
let watching: Kysely<Database>
beforeAll(async () => {
  servers = await openServers()
  watching = openDatabase(servers.postgres.url)
})
afterAll(async () => {
  await reads?.destroy()
  await watching?.destroy()
  await servers?.stop()
})
beforeEach(async () => {
  await reads?.destroy()
  reads = openReads(machineClock, servers.postgres.url)
})

const asks = <A>(client: string, work: () => Promise<A>): Promise<A> =>
  askedBy({ client, answeredBy: Number.POSITIVE_INFINITY }, work)

const quick = async (client: string): Promise<number | undefined> => {
  const { rows } = await asks(client, () => sql<{ n: number }>`select 1 as n`.execute(reads))
  return rows[0]?.n
}
const slow = (client: string) => asks(client, () => sql`select pg_sleep(60)`.execute(reads))

const isRefused = (why: unknown): boolean => why instanceof QueryRefused && why.refusal.code === "overloaded"

const asleep = async (): Promise<number> => {
  const { rows } = await sql<{ n: string }>`
    select count(*) as n from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`.execute(
    watching
  )
  return Number(rows[0]?.n)
}

test.each<[string, (one: number) => string]>([
  ["one client", () => "slow"],
  ["as many clients", (one) => `slow ${one}`]
])("many slow statements of %s keep no quick one of another waiting until they end", async (_of, clientOf) => {
  await quick("known")
  const late = Array.from({ length: SLOW }, (_, one) => slow(clientOf(one)))
  const over = new Set<number>()
  const ends = late.map((one, at) => one.then(undefined, (why: unknown) => (over.add(at), why)))
  await waitFor(async () => (await asleep()) > 1, { describe: "slow statements" })
  // On a slow machine a first try may be too short for any statement. Then a client asks again, as for any 503.
  const answered = await waitFor(() => quick("known").catch(() => undefined), { describe: "a quick statement" })
  expect([answered, over.size < SLOW]).toEqual([1, true])
  expect(isRefused(await Promise.race(ends))).toBe(true)
  // Those that wait for their turn find no connection.
  await reads.destroy()
  expect((await Promise.all(ends)).every((why) => why instanceof Error)).toBe(true)
  expect(await asleep()).toBe(0)
})

test("a statement that needs longer than a first try is answered", async () => {
  const { rows } = await asks("one", () => sql<{ n: number }>`select 2 as n from pg_sleep(0.4)`.execute(reads))
  expect(rows[0]?.n).toBe(2)
})

test("statements of one query may run at once, with values of their own", async () => {
  const all = await asks("one", () =>
    Promise.all(Array.from({ length: MANY }, (_, n) => sql<{ n: number }>`select ${n}::int as n`.execute(reads)))
  )
  expect(all.map(({ rows }) => rows[0]?.n)).toEqual(Array.from({ length: MANY }, (_, n) => n))
})

test("nothing is written, and there are no transactions", async () => {
  await expect(sql`create table any_table (id int)`.execute(reads)).rejects.toThrow("read-only")
  await expect(reads.transaction().execute((trx) => sql`select 1`.execute(trx))).rejects.toThrow("no transactions")
})
