/** Secrets that were ended or used since the backup do not open anything after the restore. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { send } from "../support/http.ts"
import { type Desk, operated } from "../support/operator.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { tokensTo } from "../support/outbox.ts"
import { newOwner, provenOwner } from "../support/owner.ts"
import { type TestService, testService } from "../support/service.ts"
import { asHolder, sealedEntry, VAULT } from "../support/vault.ts"
import { ownedVault } from "../support/vault-owner.ts"
import { archiveOf } from "../harness/index.ts"

let service: TestService
let desk: Desk

beforeAll(async () => {
  const serverKey = randomBytes(32).toString("base64")
  service = await testService({
    processes: true,
    edges: 1,
    actors: 1,
    keeper: true,
    env: { HUB_SERVER_KEY: serverKey }
  })
  desk = {
    natsUrl: service.system.nats.url,
    databaseUrl: service.system.postgres.url,
    serverKey,
    archive: archiveOf(service.system)
  }
})
afterAll(() => service?.stop())

const nodes = () => [...service.system.actors, service.system.keeper, ...service.system.edges]

test("sessions, links of letters, sources and tokens of vaults end with the restore", async () => {
  const owner = await provenOwner(service)
  const other = await newOwner(service.edges)
  const of = await ownedVault(service)
  const bearing = { authorization: `Bearer ${owner.person.token}` }
  const session = () =>
    send({ edge: service.edges[0] ?? "", method: "GET", path: "/api/v1/humans/me", headers: bearing })
  const newSource = async () =>
    dataOf<{ token: string; id: number }>(
      await of.client.call("POST", `${VAULT}/sources`, { body: { label: "Bank", kinds: ["login"] } })
    )
  const { token, id } = await newSource()
  const source = asHolder(service, token)
  const [verify = ""] = await tokensTo(service, other.client.email, "/owner/verify")
  const verified = () => other.person.call("POST", "/humans/verify-email", { token: verify })
  await owner.client.fill("/owner/forgot", { email: owner.client.email })
  const [reset = ""] = await tokensTo(service, owner.client.email, "/owner/forgot")
  const resetPage = `/owner/forgot?token=${reset}`
  const folder = join(service.system.folder, "backups", "first")
  await operated(desk, ["backup", folder])

  dataOf(await of.client.call("DELETE", `${VAULT}/sources/${id}`))
  const changed = await owner.client.another().fill(resetPage, { password: "another quiet word 77" }, "/owner/forgot")
  expect(changed.status).toBe(303)
  expect(outcome(await session())).toBe("401 session_invalid")
  dataOf(await verified())

  for (const node of nodes()) await node?.kill()
  const told = await operated(desk, ["restore", folder, "--replace", "--gap", "0"])
  expect(told).toContain("people log in again; links of letters, sources of vaults and links to compartments")
  for (const node of nodes()) await node?.restart()

  expect({
    session: outcome(await session()),
    source: outcome(await source("GET", `${VAULT}/source`)),
    written: outcome(await source("POST", `${VAULT}/entries`, await sealedEntry(of))),
    token: outcome(await of.ask("GET", `${VAULT}/service/entries`)),
    verified: outcome(await verified()),
    reset: (await owner.client.another().get(resetPage)).text.includes('name="password"')
  }).toEqual({
    session: "401 session_invalid",
    source: "401 token_invalid",
    written: "401 token_invalid",
    token: "401 token_invalid",
    verified: "400 token_invalid",
    reset: false
  })

  // All that begins after the restore holds.
  await owner.person.logIn()
  expect(outcome(await owner.person.call("GET", "/humans/me"))).toBe("200")
  const since = asHolder(service, (await newSource()).token)
  expect(outcome(await since("GET", `${VAULT}/source`))).toBe("200")
})
