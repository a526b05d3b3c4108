/** Two projections that write one table never wait for each other in a circle. */
import { type Kysely, sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { agentProjection } from "../../../actors/agent/projection.ts"
import { seenProjection } from "../../../actors/agent/seen/aspect.ts"
import type { AgentEvent } from "../../../actors/agent/state.ts"
import { type Database, LIVE_SCHEMA, openBulkDatabase, openDatabase } from "../../../actors/tables/database.ts"
import { PROJECTIONS } from "../../../actors/process/projections.ts"
import type { Message, Projection } from "../../../actors/projections/projection.ts"
import { type OpenServers, openServers } from "../../harness/index.ts"
import { fillAgents } from "../content/filled.ts"

let servers: OpenServers
let db: Kysely<Database>

beforeAll(async () => {
  servers = await openServers()
  db = openDatabase(servers.postgres.url)
  const bulk = openBulkDatabase(servers.postgres.url, LIVE_SCHEMA)
  await fillAgents(bulk)
  await bulk.destroy()
})
afterAll(async () => {
  await db?.destroy()
  await servers?.stop()
})

const ROUNDS = 20
const AT = 1_800_000_000_000

const message = (id: string, data: object): Message => ({
  seq: 1,
  kind: "agent",
  id,
  data: Buffer.from(JSON.stringify(data))
})

const changed = (id: string, round: number): Message => {
  const event: AgentEvent = { type: "agent.profile_changed", v: 1, description: `${round}` }
  return message(id, { v: 1, id, op: "test", at: AT + round, events: [event] })
}
const seen = (id: string, round: number): Message => message(id, { agent: id, at: AT + round })

const apply = async (projection: Projection, batch: ReadonlyArray<Message>): Promise<unknown> => {
  const change = projection.changes(batch)
  return change === null ? null : db.transaction().execute(change)
}

test("what agents do and when they were seen, of the same agents in any order, at once", async () => {
  const { rows } = await sql<{ id: string }>`select id from agents order by id`.execute(db)
  for (let round = 0; round < ROUNDS; round++) {
    const ids = rows.map(({ id }) => id)
    await Promise.all([
      apply(
        agentProjection,
        ids.map((id) => changed(id, round))
      ),
      apply(
        seenProjection,
        ids.toReversed().map((id) => seen(id, round))
      )
    ])
  }
  const last = await db
    .selectFrom("agents")
    .select("last_seen_at")
    .where("description", "=", `${ROUNDS - 1}`)
    .execute()
  expect(last).toHaveLength(rows.length)
  expect(new Set(last.map(({ last_seen_at }) => last_seen_at.getTime()))).toEqual(new Set([AT + ROUNDS - 1]))
})

test("no other two write one table", () => {
  const writers = PROJECTIONS.flatMap(({ name, tables, besides }) =>
    [...tables.map((table) => table.name), ...besides].map((table) => [table, name] as const)
  )
  const shared = writers.filter(([table], index) => writers.findIndex(([other]) => other === table) !== index)
  expect(shared.map(([table]) => table)).toEqual(["agents"])
})
