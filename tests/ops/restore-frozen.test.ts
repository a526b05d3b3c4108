/** An actor process that is frozen during a restore does not go on with what it has in memory. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { archiveOf, waitFor } from "../harness/index.ts"
import { WITHOUT_END } from "../support/held.ts"
import { send } from "../support/http.ts"
import { type Desk, operated } from "../support/operator.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { provenOwner } from "../support/owner.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent } from "../support/sponsorship.ts"

let service: TestService
let desk: Desk

beforeAll(async () => {
  const serverKey = randomBytes(32).toString("base64")
  service = await testService({ processes: true, edges: 1, actors: 1, env: { HUB_SERVER_KEY: serverKey } })
  desk = {
    natsUrl: service.system.nats.url,
    databaseUrl: service.system.postgres.url,
    serverKey,
    archive: archiveOf(service.system)
  }
})
afterAll(async () => {
  service?.system.actors[0]?.thaw()
  await service?.stop()
})

type Node = TestService["system"]["actors"][number]

/** The number of the process's sessions in Postgres for which this holds. */
const sessions = async (holds: string): Promise<number> => {
  const { rows } = await sql<{ readonly found: string }>`
    select count(*) as found from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and ${sql.raw(holds)}`.execute(service.view.db)
  return Number(rows[0]?.found)
}

const frozenWhile = async (node: Node, holds: () => Promise<boolean>): Promise<boolean> => {
  node.freeze()
  if (await holds()) return true
  node.thaw()
  return false
}

/** `write`: makes the process change the row of an agent. */
type Freeze = (node: Node, write: () => Promise<unknown>) => Promise<void>

const betweenTransactions: Freeze = async (node, write) => {
  await write()
  await waitFor(() => frozenWhile(node, async () => (await sessions("state <> 'idle'")) === 0), {
    describe: "a freeze between two transactions"
  })
}

/** Postgres ends the statement for which the process waits, and then waits for the next one. */
const withinTransaction: Freeze = async (node, write) => {
  const waiting = async () => (await sessions("wait_event_type = 'Lock' and query ilike '%agents%'")) > 0
  const locks = await service.view.db.startTransaction().execute()
  await WITHOUT_END.execute(locks)
  await sql`lock table agents in exclusive mode`.execute(locks)
  const written = write().catch(() => null)
  await waitFor(async () => (await waiting()) && frozenWhile(node, waiting), {
    describe: "a freeze within a transaction"
  })
  await locks.rollback().execute()
  for (const edge of service.system.edges) await edge.kill()
  await written
}

test.each([
  ["between transactions", "0", betweenTransactions],
  ["within a transaction", "10000", withinTransaction]
])("frozen %s, it ends, and its successor knows what the restore has ended (gap %s)", async (_moment, gap, freeze) => {
  const owner = await provenOwner(service)
  const { client } = await anAgent(service.edges)
  const session = () =>
    send({
      edge: service.edges[0] ?? "",
      method: "GET",
      path: "/api/v1/humans/me",
      headers: { authorization: `Bearer ${owner.person.token}` }
    })
  const describing = (description: string) => client.call("PATCH", "/api/v1/me", { body: { description } })
  const described = async (description: string) =>
    dataOf(await client.retrying("PATCH", "/api/v1/me", { body: { description } }))
  const description = async () =>
    dataOf<{ description: string }>(await client.retrying("GET", "/api/v1/me")).description
  await described("kept")
  const folder = join(service.system.folder, "backups", gap)
  await operated(desk, ["backup", folder])
  await described("lost")
  const [node] = service.system.actors
  if (node === undefined) throw new Error("there is no node")
  await freeze(node, () => describing("lost as well"))
  for (const edge of service.system.edges) await edge.kill()
  await operated(desk, ["restore", folder, "--replace", "--gap", gap])
  node.thaw()
  for (const edge of service.system.edges) await edge.restart()
  await waitFor(() => node.pid === null, { describe: "the end of the process that was frozen" })
  await node.restart()
  expect(outcome(await session())).toBe("401 session_invalid")
  expect(await description()).toBe("kept")
  await described("new")
})
