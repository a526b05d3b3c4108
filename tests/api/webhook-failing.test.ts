/** Webhooks whose receivers fail: warned, switched off, switched on again; the dead beside the healthy (contract 4). */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Notification } from "../../schemas/notification/api.ts"
import type { Queued, Webhook, WebhookDelivery } from "../../schemas/webhook/api.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { answering, dead, healthy, type Receiver, startReceiver } from "../support/receiver.ts"
import { register, type Registered } from "../support/register.ts"
import { type TestService, sharedService } from "../support/service.ts"
import { setRecovery } from "../support/rotation.ts"

const RETRIES = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`webhook.retry_seconds.${index + 1}`, 0.6]))
const LIMITS = {
  ...RETRIES,
  // Some hundred times as long as a delivery to a receiver that is well takes, and as long as the test waits for it.
  "webhook.timeout_ms": 10_000,
  "webhook.slow_ms": 1000,
  "webhook.warn_after_seconds": 0.5,
  // Attempts enough in between that one of them warns, however long the machine pauses.
  "webhook.disable_after_seconds": 4,
  "webhook.put_off_seconds": 1,
  "rate_limits.webhook_test.requests": 50
}

let service: TestService
const receivers: Array<Receiver> = []

beforeAll(async () => {
  service = await sharedService({ limits: LIMITS })
})
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.stop()))
  await service?.stop()
})

interface Subject {
  readonly client: AgentClient
  readonly agent: Registered
  readonly receiver: Receiver
}

async function subject(behaviour = healthy): Promise<Subject> {
  const receiver = await startReceiver({ behaviour })
  receivers.push(receiver)
  const edge = service.edges[0] ?? ""
  const client = new AgentClient({ edge: () => edge })
  return { client, receiver, agent: await register(client, { edge, more: { webhook_url: `${receiver.url}/in` } }) }
}

const sendTest = async ({ client }: Subject): Promise<number> =>
  dataOf<Queued>(await client.call("POST", "/api/v1/me/webhook/test")).delivery_id
const webhookOf = async ({ client }: Subject): Promise<Webhook> =>
  dataOf<Webhook>(await client.call("GET", "/api/v1/me/webhook"))
const deliveries = async ({ client }: Subject): Promise<ReadonlyArray<WebhookDelivery>> =>
  dataOf<ReadonlyArray<WebhookDelivery>>(await client.call("GET", "/api/v1/me/webhook/deliveries?per_page=100"))
const noticesOf = async ({ client }: Subject): Promise<ReadonlyArray<Notification["payload"]>> =>
  dataOf<ReadonlyArray<Notification>>(await client.call("GET", "/api/v1/me/notifications?per_page=100"))
    .filter(({ type }) => type === "webhook.disabled")
    .map(({ payload }) => payload)
/** It comes into the table that is asked in its own time. */
const toldOf = (it: Subject, count: number) =>
  waitFor(
    async () => {
      const notices = await noticesOf(it)
      return notices.length >= count ? notices : null
    },
    { describe: "what its agent is told" }
  )

const setAgain = ({ client, receiver }: Subject) =>
  client.call("PATCH", "/api/v1/me", { body: { webhook_url: `${receiver.url}/in` } })

test("failures: warned, then switched off, what waits dropped; the same address again switches it on", async () => {
  const it = await subject(answering(500))
  const first = await sendTest(it)
  await waitFor(async () => (await webhookOf(it)).disabled_at !== null, { describe: "the webhook to be off" })
  expect(await webhookOf(it)).toMatchObject({ disabled_reason: "failed_too_long", failing_since: expect.any(String) })
  expect(await toldOf(it, 2)).toMatchObject([
    { reason: "failed_too_long", disabled_at: expect.any(String) },
    { reason: "failing", disabled_at: null }
  ])
  expect(
    dataOf<{ webhook_disabled_at: string | null }>(await it.client.call("GET", "/api/v1/me")).webhook_disabled_at
  ).toEqual(expect.any(String))
  const refused = await it.client.call("POST", "/api/v1/me/webhook/test")
  expect([outcome(refused), detailsOf(refused)["reason"]]).toEqual(["409 webhook_not_set", "failed_too_long"])
  await waitFor(async () => (await deliveries(it)).every(({ status }) => status === "dropped" || status === "failed"))
  const before = it.receiver.received.length
  // Nothing is made for a webhook that is off: neither of this nor of the notices about it.
  await setRecovery(it.client)
  expect((await deliveries(it)).map(({ id }) => id)).toEqual([first])
  it.receiver.behave(healthy)
  expect(dataOf<{ webhook_disabled_at: string | null }>(await setAgain(it)).webhook_disabled_at).toBeNull()
  const again = await sendTest(it)
  await waitFor(async () => (await deliveries(it)).find(({ id, status }) => id === again && status === "delivered"))
  expect(it.receiver.received.slice(before).map(({ id }) => id)).toEqual([`ntf_${again}`])
  expect(await webhookOf(it)).toMatchObject({ failing_since: null, disabled_at: null })
})

test("410 switches it off at once", async () => {
  const it = await subject(answering(410))
  await sendTest(it)
  await waitFor(async () => (await webhookOf(it)).disabled_reason === "gone")
  // Deliveries are a read model.
  await waitFor(async () => (await deliveries(it))[0]?.status === "failed", { describe: "the delivery to be given up" })
  expect((await deliveries(it))[0]).toMatchObject({
    status: "failed",
    attempts: 1,
    response_code: 410,
    last_error: "http_410",
    next_attempt_at: null
  })
  expect(await toldOf(it, 1)).toMatchObject([{ reason: "gone" }])
})

describe("beside each other", () => {
  test("a dead receiver, with more than it has room for, delays no other, and gets everything once it lives again", async () => {
    const gone = await subject(dead)
    const well = await subject()
    const ids: Array<number> = []
    for (let count = 0; count < 20; count++) ids.push(await sendTest(gone))
    const delays: Array<number> = []
    for (let count = 0; count < 20; count++) {
      const from = performance.now()
      await sendTest(well)
      await waitFor(() => well.receiver.received.length === count + 1)
      delays.push(performance.now() - from)
    }
    // Behind the dead one each would have waited for the end of an attempt at it.
    const median = delays.toSorted((one, other) => one - other)[delays.length / 2]
    expect(median).toBeLessThan(LIMITS["webhook.timeout_ms"])
    // Some were put off without an attempt: the receiver never saw more than its part at once.
    await waitFor(async () =>
      (await deliveries(gone)).some(({ attempts, last_error }) => attempts > 0 && last_error === "timeout")
    )
    gone.receiver.behave(healthy)
    // Ends the attempts that are under way.
    gone.receiver.cut()
    await setAgain(gone)
    await waitFor(
      async () => (await deliveries(gone)).every(({ status }) => status === "delivered" || status === "dropped"),
      { describe: "all of them" }
    )
    const seen = new Set(gone.receiver.received.map(({ id }) => id))
    for (const { id, status } of await deliveries(gone))
      if (status === "delivered") expect(seen.has(`ntf_${id}`)).toBe(true)
    expect([...seen].every((id) => ids.includes(Number(id.slice(4))))).toBe(true)
  })
})
