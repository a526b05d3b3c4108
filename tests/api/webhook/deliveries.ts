/** What is delivered, how it is signed, when it is tried again. */
import { expect, test } from "vitest"
import { verify } from "node:crypto"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { verifyWebhook } from "../../../edge/sdk/client.ts"
import type { Discovery } from "../../../schemas/meta/api.ts"
import type { WebhookDelivery } from "../../../schemas/webhook/api.ts"
import { waitFor } from "../../harness/index.ts"
import { send } from "../../support/http.ts"
import { dataOf } from "../../support/outcome.ts"
import { answering, inTurn } from "../../support/receiver.ts"
import {
  edge,
  receiver,
  subject,
  notify,
  queueTest,
  deliveries,
  settled,
  received,
  webhookOf,
  headersOf
} from "./subject.ts"

export const deliveryTests = (): void => {
  test("carries what the contract names, and is in the log with its attempt", async () => {
    const it = await subject()
    await notify(it)
    const [first] = await received(1)
    const notification = dataOf<ReadonlyArray<{ id: number; payload: unknown; created_at: string }>>(
      await it.client.call("GET", "/api/v1/me/notifications")
    )[0]
    expect(first?.path).toBe("/in")
    expect(first?.headers).toMatchObject({
      "webhook-id": `ntf_${notification?.id}`,
      "x-hub-event": "agent.recovery_changed",
      "x-hub-delivery": String(notification?.id),
      "user-agent": expect.stringMatching(/^HubWebhook\/\d+\.\d+\.\d+$/),
      "content-type": "application/json; charset=utf-8"
    })
    expect(JSON.parse(first?.body ?? "")).toEqual({
      type: "agent.recovery_changed",
      timestamp: notification?.created_at,
      notification_id: notification?.id,
      agent: { id: it.agent.id, hx_id: it.agent.hx_id, handle: it.agent.handle },
      payload: notification?.payload
    })
    const [row] = await waitFor(async () => {
      const rows = await deliveries(it)
      return rows[0]?.status === "delivered" ? rows : null
    })
    expect(row).toEqual({
      id: notification?.id,
      notification_id: notification?.id,
      type: "agent.recovery_changed",
      status: "delivered",
      attempts: 1,
      response_code: 204,
      last_error: null,
      next_attempt_at: null,
      created_at: notification?.created_at,
      delivered_at: expect.any(String),
      attempts_log: [
        { attempt: 1, at: expect.any(String), response_code: 204, error: null, duration_ms: expect.any(Number) }
      ]
    })
  })

  test("is signed for the standard's own verifier, for the kit's, and by the service's key", async () => {
    const it = await subject()
    await notify(it)
    const [first] = await received(1)
    if (first === undefined) throw new Error("nothing came")
    expect(new StandardWebhook(it.agent.webhook_secret).verify(first.body, headersOf(first))).toMatchObject({
      type: "agent.recovery_changed"
    })
    const { server_public_key } = dataOf<Discovery>(await send({ edge, method: "GET", path: "/api/v1/" }))
    expect(
      await verifyWebhook({
        headers: first.headers as Record<string, string>,
        body: first.body,
        secret: it.agent.webhook_secret
      })
    ).toMatchObject({ type: "agent.recovery_changed" })
    const headers = headersOf(first)
    const own =
      headers["webhook-signature"]
        .split(" ")
        .find((part) => part.startsWith("v1a,"))
        ?.slice(4) ?? ""
    const spki = Buffer.concat([
      Buffer.from("302a300506032b6570032100", "hex"),
      Buffer.from(server_public_key, "base64")
    ])
    const text = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${first.body}`
    expect(
      verify(null, Buffer.from(text), { key: spki, format: "der", type: "spki" }, Buffer.from(own, "base64"))
    ).toBe(true)
    expect(() => new StandardWebhook(it.agent.webhook_secret).verify(`${first.body} `, headersOf(first))).toThrow()
  })

  test("that fails is tried again under the same id, and every attempt is told", async () => {
    receiver.behave(inTurn(answering(500), answering(302, { location: receiver.url }), answering(200)))
    const it = await subject()
    const { delivery_id } = await queueTest(it)
    const row = await settled(it, delivery_id, "delivered")
    expect(row.attempts_log.map(({ attempt, response_code, error }) => [attempt, response_code, error])).toEqual([
      [1, 500, "http_500"],
      [2, 302, "redirect"],
      [3, 200, null]
    ])
    expect(row).toMatchObject({ attempts: 3, response_code: 200, last_error: null, next_attempt_at: null })
    expect([...new Set(receiver.received.map(({ id }) => id))]).toEqual([`ntf_${delivery_id}`])
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
  })

  test("says while it waits what went wrong and when it is tried next", async () => {
    receiver.behave(answering(503, { "retry-after": "3600" }))
    const it = await subject()
    const { delivery_id } = await queueTest(it)
    const row = await waitFor(async () =>
      (await deliveries(it)).find(({ id, attempts }) => id === delivery_id && attempts === 1)
    )
    expect(row).toMatchObject({ status: "pending", response_code: 503, last_error: "http_503", delivered_at: null })
    expect(Date.parse(row.next_attempt_at ?? "") - Date.now()).toBeGreaterThan(3_500_000)
    await waitFor(async () => (await webhookOf(it)).failing_since !== null, {
      describe: "the agent to know that its webhook fails"
    })
  })

  test("that arrives in the end ends the failing", async () => {
    receiver.behave(
      inTurn(answering(500), answering(500), answering(200), answering(500), answering(500), answering(200))
    )
    const it = await subject()
    for (let round = 0; round < 2; round++) {
      await settled(it, (await queueTest(it)).delivery_id, "delivered")
      await waitFor(async () => (await webhookOf(it)).failing_since === null)
    }
    expect((await webhookOf(it)).disabled_at).toBeNull()
  })

  test("to nobody: no webhook, no delivery", async () => {
    const it = await subject({ webhook_url: null })
    await notify(it)
    expect(await deliveries(it)).toEqual([])
    expect(receiver.received).toEqual([])
  })

  test("is one's own alone, in pages, newest first", async () => {
    const it = await subject()
    for (let count = 0; count < 3; count++) await notify(it)
    const other = await subject()
    expect(await deliveries(other)).toEqual([])
    const all = await deliveries(it)
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((a, b) => b - a))
    const page = await it.client.call("GET", "/api/v1/me/webhook/deliveries?per_page=2&page=2")
    expect(page.json.meta).toEqual({ page: 2, per_page: 2, total: 3, pages: 2 })
    expect(dataOf<ReadonlyArray<WebhookDelivery>>(page).map(({ id }) => id)).toEqual([all[2]?.id])
  })
}
