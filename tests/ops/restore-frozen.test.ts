/** An actor process that is frozen during a restore does not go on with what it has in memory. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { sql } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { archiveOf, waitFor } from "../harness/index.ts"
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

/** A process that is frozen within a transaction keeps its locks, and no restore can empty the tables. */
const frozenBetweenTransactions = async (node: TestService["system"]["actors"][number] | undefined) => {
  node?.freeze()
  const { rows } = await sql<{ readonly busy: string }>`
    select count(*) as busy from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`.execute(service.view.db)
  if (Number(rows[0]?.busy) === 0) return true
  node?.thaw()
  return false
}

test.each(["0", "10000"])("it ends, and its successor knows what the restore has ended (gap %s)", async (gap) => {
  const owner = await provenOwner(service)
  const { client } = await anAgent(service.edges)
  const session = () =>
    send({
      edge: service.edges[0] ?? "",
      method: "GET",
      path: "/api/v1/humans/me",
      headers: { authorization: `Bearer ${owner.person.token}` }
    })
  const described = async (description: string) =>
    dataOf(await client.retrying("PATCH", "/api/v1/me", { body: { description } }))
  const description = async () =>
    dataOf<{ description: string }>(await client.retrying("GET", "/api/v1/me")).description
  await described("kept")
  const folder = join(service.system.folder, "backups", gap)
  await operated(desk, ["backup", folder])
  await described("lost")
  const node = service.system.actors[0]
  for (const edge of service.system.edges) await edge.kill()
  await waitFor(() => frozenBetweenTransactions(node), { describe: "a freeze between two transactions" })
  await operated(desk, ["restore", folder, "--replace", "--gap", gap])
  node?.thaw()
  for (const edge of service.system.edges) await edge.restart()
  await waitFor(() => node?.pid === null, { describe: "the end of the process that was frozen" })
  await node?.restart()
  expect(outcome(await session())).toBe("401 session_invalid")
  expect(await description()).toBe("kept")
  await described("new")
})
