/** What is new for an agent, where strangers send it very much. */
import { type Kysely, sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Database, LIVE_SCHEMA, openBulkDatabase } from "../../../actors/tables/database.ts"
import { homeQuery } from "../../../actors/home/queries.ts"
import { type OpenServers, openServers } from "../../harness/index.ts"
import { watchedDatabase, type Watched } from "../../support/asked.ts"

const AGENT = `hx${"1".repeat(24)}`
const MESSAGES = 60_000
let servers: OpenServers
let bulk: Kysely<Database>
let watched: Watched

beforeAll(async () => {
  servers = await openServers()
  bulk = openBulkDatabase(servers.postgres.url, LIVE_SCHEMA)
  const put = (from: number, count: number, type: string) =>
    sql`
    insert into notifications (id, agent, type, payload, created_at)
    select ${from}::int + n, ${AGENT}, ${type}, '{}'::jsonb, now() from generate_series(1, ${count}::int) n`.execute(
      bulk
    )
  await put(0, 1, "agent.recovery_scheduled")
  await put(1, MESSAGES, "message.received")
  await put(1 + MESSAGES, 30, "email.received")
  await sql`analyze notifications`.execute(bulk)
  watched = watchedDatabase(servers.postgres.url)
})
afterAll(async () => {
  await bulk?.destroy()
  await watched?.db.destroy()
  await servers?.stop()
})

const knowing = {
  people: () => Promise.resolve(new Map()),
  words: () => Promise.resolve(new Map()),
  mails: () => Promise.resolve(new Map())
} as unknown as Parameters<typeof homeQuery>[2]

test("a notice of recovery is shown first, behind whatever number of messages, and is found by its index", async () => {
  const { notices, more } = await homeQuery(watched.db, "", knowing)({ agent: AGENT, since: Date.now() - 3_600_000 })
  expect(notices[0]?.type).toBe("agent.recovery_scheduled")
  expect(notices.length + more.notices).toBe(31)
  const asked = watched.asked.find(({ sql: text }) => text.includes("union all"))
  const { rows } = await watched.pool.query<{ "QUERY PLAN": string }>(`explain ${asked?.sql ?? ""}`, [
    ...(asked?.parameters ?? [])
  ])
  expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toContain("notifications_notices")
})
