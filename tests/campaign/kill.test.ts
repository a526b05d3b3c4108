/**
 * Workers, nodes and servers that die under deliveries: each comes at least once, under one id, and nothing is stuck
 * (contract 4).
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Notification } from "../../schemas/notification/api.ts"
import type { WebhookDelivery } from "../../schemas/webhook/api.ts"
import { waitFor } from "../harness/index.ts"
import { breath } from "../support/breath.ts"
import { AgentClient } from "../support/client.ts"
import { newIdentity } from "../support/identity.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { healthy, type Receiver, startReceiver } from "../support/receiver.ts"
import { register } from "../support/register.ts"
import { recoveryBody } from "../support/rotation.ts"
import { rounds } from "../support/rounds.ts"
import { seeded } from "../support/seed.ts"
import { type TestService, testService } from "../support/service.ts"

const LIMITS = {
  "webhook.ack_wait_ms": 1500,
  "webhook.timeout_ms": 2000,
  "rate_limits.webhook_test.requests": 90,
  ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`webhook.retry_seconds.${index + 1}`, 0.3]))
}
/** Two nodes that own shards, then two workers with nothing else to do. */
const NODES = 2
const ROLES = ["actors,queries", "actors,queries", "webhooks", "webhooks"]
const AGENTS = 4
const ROUNDS = rounds(1)

let service: TestService
let receiver: Receiver

beforeAll(async () => {
  service = await testService({
    processes: true,
    edges: 1,
    actors: ROLES.length,
    limits: LIMITS,
    nodeEnv: (role, index) => (role === "actor" ? { HUB_ROLES: ROLES[index] } : {})
  })
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver?.stop()
  await service?.stop()
})

const agent = async (): Promise<AgentClient> => {
  const edge = service.edges[0] ?? ""
  const client = new AgentClient({ edge: () => edge })
  await register(client, { edge, more: { webhook_url: `${receiver.url}/${client.hubId}` } })
  return client
}
/** Every page of a list. */
const all = async <T>(client: AgentClient, path: string): Promise<ReadonlyArray<T>> => {
  const items: Array<T> = []
  for (let page = 1; ; page++) {
    const answer = await client.retrying("GET", `${path}?per_page=100&page=${page}`)
    items.push(...dataOf<ReadonlyArray<T>>(answer))
    if (page >= (answer.json.meta?.pages ?? 0)) return items
  }
}
const to = (client: AgentClient) => receiver.received.filter(({ path }) => path === `/${client.hubId}`)
const ids = (client: AgentClient): ReadonlyArray<string> => [...new Set(to(client).map(({ id }) => id))]
const deliveries = (client: AgentClient): Promise<ReadonlyArray<WebhookDelivery>> =>
  all(client, "/api/v1/me/webhook/deliveries")

test("the worker dies between the POST and its report: another makes it again, under the same id, and it is delivered once", async () => {
  const client = await agent()
  const workers = service.system.actors.slice(NODES)
  let killed: Promise<unknown> | null = null
  receiver.behave((response, delivered, request) => {
    // Whichever of the two it is: both die with the request in their hands.
    if (killed === null) killed = Promise.all(workers.map((worker) => worker.kill()))
    else healthy(response, delivered, request)
  })
  expect(outcome(await client.call("POST", "/api/v1/me/webhook/test"))).toBe("202")
  await waitFor(() => killed !== null)
  await killed
  await workers[0]?.restart()
  const row = await waitFor(async () => {
    const [one] = await deliveries(client)
    if (one?.status !== "delivered") throw new Error(JSON.stringify(one))
    return one
  })
  expect(row).toMatchObject({ attempts: 1, response_code: 204 })
  expect(receiver.received.map(({ id }) => id)).toEqual([`ntf_${row.id}`, `ntf_${row.id}`])
  await workers[1]?.restart()
})

test("rounds of kills under load: every notification is delivered, none under two ids, nothing is stuck", async () => {
  const random = seeded("deliveries under kills")
  receiver.received.length = 0
  receiver.behave((response, delivered, request) => {
    // Now and then a receiver has a bad moment of its own.
    if (random.chance(0.1)) request.socket.resetAndDestroy()
    else healthy(response, delivered, request)
  })
  const clients = await Promise.all(Array.from({ length: AGENTS }, agent))
  const written = new AbortController()
  const writers = clients.map(async (client) => {
    while (!written.signal.aborted) {
      const body = recoveryBody(client.hubId, client.identity.publicKey, newIdentity())
      expect(
        outcome(await client.retrying("PUT", "/api/v1/me/recovery", { body, idempotencyKey: crypto.randomUUID() }))
      ).toBe("200")
      await breath()
    }
  })
  const { actors, nats, postgres } = service.system
  const victims = [...actors, nats, postgres]
  for (let round = 0; round < ROUNDS; round++) {
    const seen = receiver.received.length
    await waitFor(() => receiver.received.length > seen + 5, { describe: "deliveries between two kills" })
    const victim = random.pick(victims)
    await victim.kill()
    await victim.restart()
  }
  written.abort()
  await Promise.all(writers)
  for (const client of clients) {
    await waitFor(
      async () => {
        // The list follows the log, so it may be behind the deliveries as they may be behind it.
        const notices = (await all<Notification>(client, "/api/v1/me/notifications")).map(({ id }) => `ntf_${id}`)
        expect(ids(client).toSorted()).toEqual(notices.toSorted())
        return true
      },
      { describe: "every notification's delivery, and no other" }
    )
    // One id a notification, one notification an id: the body says which it is of.
    for (const { id, body } of to(client))
      expect(`ntf_${(JSON.parse(body) as { notification_id: number }).notification_id}`).toBe(id)
    await waitFor(
      async () => {
        const open = (await deliveries(client)).filter(({ status }) => status !== "delivered")
        if (open.length > 0) throw new Error(JSON.stringify(open[0]))
        return true
      },
      { describe: "every delivery to be reported" }
    )
  }
})
