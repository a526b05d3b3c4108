/** Agents with a webhook, and the receiver of all of them. */
import { expect } from "vitest"
import type { Queued, Webhook, WebhookDelivery } from "../../../schemas/webhook/api.ts"
import { waitFor } from "../../harness/index.ts"
import { AgentClient } from "../../support/client.ts"
import { dataOf, outcome } from "../../support/outcome.ts"
import { type Delivered, type Receiver, startReceiver } from "../../support/receiver.ts"
import { register, type Registered } from "../../support/register.ts"
import { type TestService, sharedService } from "../../support/service.ts"
import { setRecovery } from "../../support/rotation.ts"

const LIMITS = {
  "webhook.retry_seconds.1": 0.2,
  "webhook.retry_seconds.2": 0.2,
  "webhook.retry_seconds.3": 0.2,
  "webhook.timeout_ms": 1500,
  "webhook.ack_wait_ms": 3000
}

export let service: TestService
export let edge = ""
export let receiver: Receiver

export const openReceiver = async (): Promise<void> => {
  service = await sharedService({ limits: LIMITS })
  edge = service.edges[0] ?? ""
  receiver = await startReceiver()
}

export const renewReceiver = async (): Promise<void> => {
  await receiver.stop()
  receiver = await startReceiver()
}

export const closeReceiver = async (): Promise<void> => {
  await receiver?.stop()
  await service?.stop()
}

export interface Subject {
  readonly client: AgentClient
  readonly agent: Registered
}

export async function subject(more: Readonly<Record<string, unknown>> = {}): Promise<Subject> {
  const client = new AgentClient({ edge: () => service.edges[Math.random() < 0.5 ? 0 : 1] ?? "" })
  const agent = await register(client, { edge, more: { webhook_url: `${receiver.url}/in`, ...more } })
  return { client, agent }
}

/** Makes one notification. */
export const notify = async ({ client }: Subject): Promise<void> => {
  expect(outcome(await setRecovery(client))).toBe("200")
}

export const queueTest = async ({ client }: Subject): Promise<Queued> => {
  const answer = await client.call("POST", "/api/v1/me/webhook/test")
  expect(outcome(answer)).toBe("202")
  return dataOf<Queued>(answer)
}

export const deliveries = async ({ client }: Subject, query = ""): Promise<ReadonlyArray<WebhookDelivery>> =>
  dataOf<ReadonlyArray<WebhookDelivery>>(await client.call("GET", `/api/v1/me/webhook/deliveries${query}`))

export const settled = async (it: Subject, id: number, status: string): Promise<WebhookDelivery> => {
  const probe = async () => {
    const last = (await deliveries(it)).find((one) => one.id === id)
    // Thrown, it is what the wait shows when it ends in vain.
    if (last?.status !== status) throw new Error(JSON.stringify(last))
    return last
  }
  return waitFor(probe, { describe: `delivery ${id} to be ${status}` })
}

export const received = (count: number): Promise<ReadonlyArray<Delivered>> =>
  waitFor(() => (receiver.received.length >= count ? receiver.received : null), { describe: `${count} deliveries` })

export const webhookOf = async ({ client }: Subject): Promise<Webhook> =>
  dataOf<Webhook>(await client.call("GET", "/api/v1/me/webhook"))

export const headersOf = ({ headers }: Delivered) => ({
  "webhook-id": String(headers["webhook-id"]),
  "webhook-timestamp": String(headers["webhook-timestamp"]),
  "webhook-signature": String(headers["webhook-signature"])
})
