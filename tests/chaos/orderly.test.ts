/** Nodes that end in order while very much is asked: no line tells of what they have closed, and clients are answered. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { AgentClient } from "../support/client.ts"
import { register } from "../support/register.ts"
import { testService, type TestService } from "../support/service.ts"

const ROUNDS = 3
const CLIENTS = 12

let service: TestService

beforeAll(async () => {
  service = await testService({ edges: 2, actors: 2, keeper: true })
})
afterAll(() => service?.stop())

test("actor nodes and edges end and come again under load", async () => {
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, index) => {
      const edge = service.edges[index % 2] ?? ""
      const client = new AgentClient({ edge: () => edge })
      await register(client, { edge })
      return client
    })
  )
  const over = new AbortController()
  let answered = 0
  const loads = clients.map(async (client, index) => {
    for (let change = 0; !over.signal.aborted; change++) {
      // An edge that has ended takes no connection.
      const changed = client.retrying("PATCH", "/api/v1/me", { body: { description: `${index} ${change}` } })
      const done = await Promise.all([changed, client.retrying("GET", "/api/v1/agents")]).catch(() => null)
      if (done !== null) answered++
    }
  })
  const { actors, edges } = service.system
  for (let round = 0; round < ROUNDS; round++)
    for (const node of [...actors, ...edges.slice(1)]) {
      await node.stop()
      await node.restart()
    }
  over.abort()
  await Promise.all(loads)
  expect(answered).toBeGreaterThan(0)
  const { logs } = service.system
  const lines = logs.sources.flatMap((source) => logs.lines(source))
  expect(lines.filter((line) => /destroyed|closedconnection|draining|after calling end/i.test(line))).toEqual([])
  expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([])
})
