/** Whoever lost the right to read loses the streams and held requests that are open (spec 4.11; contract 22). */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Compartment } from "../../schemas/compartment/records.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { newIdentity } from "../support/identity.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { PlayedHost } from "../support/played-host.ts"
import { register, type Registered } from "../support/register.ts"
import { rotate } from "../support/rotation.ts"
import { type TestService, testService } from "../support/service.ts"

let service: TestService
let host: PlayedHost
let edge = ""

beforeAll(async () => {
  service = await testService({ edges: 1, actors: 1 })
  edge = service.edges[0] ?? ""
  host = await PlayedHost.start(service, 10)
})
afterAll(async () => {
  host?.stop()
  await service?.stop()
})

interface Reader {
  readonly client: AgentClient
  readonly agent: Registered
  readonly path: string
}

const aReader = async (): Promise<Reader> => {
  const client = new AgentClient({ edge: () => edge })
  const agent = await register(client, { edge })
  const body = { name: "one", command: "sleep 600", accept_terms: true }
  const { id } = dataOf<Compartment>(await client.call("POST", "/api/v1/compartments", { body }))
  return { client, agent, path: `/api/v1/compartments/${id}/logs` }
}

/** A stream that is open: `over` once the service has ended it, and what came. */
const opened = async ({ client, path }: Reader) => {
  const { headers = {} } = client.signed("GET", `${path}/stream`)
  const answer = await fetch(`${edge}${path}/stream`, { headers })
  expect(answer.status).toBe(200)
  const seen = { text: "", over: false }
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) seen.text += Buffer.from(chunk).toString()
    seen.over = true
  })()
  await waitFor(() => Promise.resolve(seen.text.includes("alive")), { describe: "the stream" })
  return { seen, reading }
}

const ENDS: ReadonlyArray<readonly [string, string, (reader: Reader) => Promise<unknown>]> = [
  ["key_retired", "rotated its key", ({ client }) => rotate(client, client.hubId, newIdentity())],
  [
    "agent_banned",
    "was banned",
    ({ agent }) => operate(service.system, ["agent", "ban", agent.handle, "--reason", "spam"])
  ],
  [
    "agent_deleted",
    "deleted its account",
    ({ client, agent }) => client.call("DELETE", "/api/v1/me", { body: { confirm: agent.handle } })
  ]
]

test.each(ENDS)("a stream of logs ends with %s once its agent %s", async (code, _what, end) => {
  const reader = await aReader()
  const { seen, reading } = await opened(reader)
  await end(reader)
  await waitFor(() => Promise.resolve(seen.over), { describe: "the end of the stream" })
  await reading
  expect(seen.text.trimEnd().endsWith(`: ${code}`)).toBe(true)
})

test("a held request for logs tells a key that was retired meanwhile nothing", async () => {
  const reader = await aReader()
  host.says = { ...host.says, lines: [] }
  const held = reader.client.call("GET", `${reader.path}?wait_seconds=20`)
  await waitFor(() => Promise.resolve(host.asked > 1), { describe: "the host being asked" })
  await rotate(reader.client, reader.client.hubId, newIdentity())
  expect(outcome(await held)).toBe("401 key_retired")
})

test("an answer into which not all lines fit says so", async () => {
  const { client, path } = await aReader()
  const lines = [{ id: 7, at: "2026-01-01T00:00:00.000Z", stream: "stdout" as const, line: "last" }]
  const asked = async () => (await client.call("GET", `${path}?limit=1000`)).json
  const before = host.says
  host.says = { ...before, lines, cut: true }
  expect(await asked()).toMatchObject({ data: lines, meta: { cut: true } })
  host.says = { ...before, lines }
  expect(await asked()).not.toHaveProperty("meta")
  host.says = before
})
