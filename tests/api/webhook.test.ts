/**
 * An agent's webhook from outside: deliveries and their log, signatures, secret, choice of events, test, repetition
 * (spec 2.8, 4.4; contract 4).
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { Webhook as StandardWebhook } from "standardwebhooks"
import type { Webhook, WebhookSecret } from "../../schemas/webhook/api.ts"
import { waitFor } from "../harness/index.ts"
import { operate } from "../support/hub.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { answering, inTurn } from "../support/receiver.ts"
import {
  service,
  receiver,
  openReceiver,
  renewReceiver,
  closeReceiver,
  type Subject,
  subject,
  notify,
  queueTest,
  deliveries,
  settled,
  received,
  webhookOf,
  headersOf
} from "./webhook/subject.ts"
import { deliveryTests } from "./webhook/deliveries.ts"

beforeAll(openReceiver)
afterEach(renewReceiver)
afterAll(closeReceiver)

describe("a delivery", deliveryTests)

describe("the secret", () => {
  test("is shown once; each one before it signs as well until the time that was promised, three at most", async () => {
    const it = await subject()
    const rotate = async (): Promise<WebhookSecret> =>
      dataOf<WebhookSecret>(await it.client.call("POST", "/api/v1/me/webhook/secret"))
    const second = await rotate()
    expect(second.webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(Date.parse(second.old_secret_until ?? "") - Date.now()).toBeGreaterThan(86_000_000)
    await queueTest(it)
    const [first] = await received(1)
    if (first === undefined) throw new Error("nothing came")
    for (const secret of [it.agent.webhook_secret, second.webhook_secret])
      expect(new StandardWebhook(secret).verify(first.body, headersOf(first))).toBeTruthy()
    const third = await rotate()
    await queueTest(it)
    const [, next] = await received(2)
    if (next === undefined) throw new Error("nothing came")
    for (const secret of [it.agent.webhook_secret, second.webhook_secret, third.webhook_secret])
      expect(new StandardWebhook(secret).verify(next.body, headersOf(next))).toBeTruthy()
    const fourth = await rotate()
    await queueTest(it)
    const [, , last] = await received(3)
    if (last === undefined) throw new Error("nothing came")
    for (const secret of [second.webhook_secret, third.webhook_secret, fourth.webhook_secret])
      expect(new StandardWebhook(secret).verify(last.body, headersOf(last))).toBeTruthy()
    expect(() => new StandardWebhook(it.agent.webhook_secret).verify(last.body, headersOf(last))).toThrow()
    const shown = JSON.stringify([await webhookOf(it), dataOf(await it.client.call("GET", "/api/v1/me"))])
    for (const secret of [it.agent.webhook_secret, second.webhook_secret, third.webhook_secret])
      expect(shown).not.toContain(secret.slice(6, 30))
  })

  test("is given again under its Idempotency-Key, and only then", async () => {
    const it = await subject()
    const ask = () => it.client.call("POST", "/api/v1/me/webhook/secret", { idempotencyKey: "the-same" })
    const [first, again] = [await ask(), await ask()]
    expect(dataOf(again)).toEqual(dataOf(first))
    expect(dataOf(await it.client.call("POST", "/api/v1/me/webhook/secret"))).not.toEqual(dataOf(first))
  })
})

describe("the choice of events", () => {
  test("leaves out the others, but never a test", async () => {
    const it = await subject()
    const choose = (events: unknown) => it.client.call("PUT", "/api/v1/me/webhook/events", { body: { events } })
    expect(dataOf<Webhook>(await choose(["message.received", "agent.key_rotated", "message.received"])).events).toEqual(
      ["agent.key_rotated", "message.received"]
    )
    await notify(it)
    await queueTest(it)
    await received(1)
    expect((await deliveries(it)).map(({ type }) => type)).toEqual(["webhook.test"])
    expect(dataOf<Webhook>(await choose(null)).events).toBeNull()
    await notify(it)
    await received(2)
    expect((await deliveries(it)).map(({ type }) => type)).toEqual(["agent.recovery_changed", "webhook.test"])
    expect(dataOf<Webhook>(await choose([])).events).toEqual([])
    await notify(it)
    expect(await deliveries(it)).toHaveLength(2)
  })

  test.each([
    [["no.such.type"], "events.0"],
    ["all", "events"],
    [undefined, "events"],
    [Array.from({ length: 200 }, () => "webhook.test"), "events"]
  ])("refuses what is no choice, %#", async (events, field) => {
    const it = await subject()
    const answer = await it.client.call("PUT", "/api/v1/me/webhook/events", { body: { events } })
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
  })
})

describe("a test", () => {
  test("five an hour, with what is repeated; a refused one does not count, and a restart forgets none", async () => {
    const none = await subject({ webhook_url: null })
    expect([outcome(await none.client.call("POST", "/api/v1/me/webhook/test"))]).toEqual(["409 webhook_not_set"])
    const it = await subject()
    const first = await queueTest(it)
    await settled(it, first.delivery_id, "delivered")
    expect(outcome(await it.client.call("POST", `/api/v1/me/webhook/deliveries/${first.delivery_id}/redeliver`))).toBe(
      "202"
    )
    for (let count = 0; count < 3; count++) await queueTest(it)
    await Promise.all(service.system.actors.map((actor) => actor.restart()))
    const refused = await it.client.retrying("POST", "/api/v1/me/webhook/test")
    expect(outcome(refused)).toBe("429 rate_limited")
    expect(detailsOf(refused)).toMatchObject({ bucket: "webhook_test", limit: 5, window_seconds: 3600 })
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(3000)
    expect(
      outcome(await it.client.retrying("POST", `/api/v1/me/webhook/deliveries/${first.delivery_id}/redeliver`))
    ).toBe("429 rate_limited")
  })

  test("is refused while suspended; what was queued before still goes out", async () => {
    const it = await subject()
    receiver.behave(inTurn(answering(500), answering(200)))
    const { delivery_id } = await queueTest(it)
    await operate(service.system, ["agent", "suspend", it.agent.handle, "--reason", "a test"])
    expect(outcome(await it.client.call("POST", "/api/v1/me/webhook/test"))).toBe("403 agent_suspended")
    expect(outcome(await it.client.call("POST", "/api/v1/me/webhook/secret"))).toBe("403 agent_suspended")
    expect(outcome(await it.client.call("GET", "/api/v1/me/webhook/deliveries"))).toBe("200")
    await settled(it, delivery_id, "delivered")
  })
})

describe("repeating a delivery", () => {
  const redeliver = ({ client }: Subject, id: unknown) =>
    client.call("POST", `/api/v1/me/webhook/deliveries/${String(id)}/redeliver`)

  test("sends the same again, under the same id, and the log goes on", async () => {
    const it = await subject()
    const { delivery_id } = await queueTest(it)
    await settled(it, delivery_id, "delivered")
    expect(dataOf(await redeliver(it, delivery_id))).toEqual({
      queued: true,
      notification_id: delivery_id,
      delivery_id
    })
    const [first, second] = await received(2)
    expect([second?.id, second?.body]).toEqual([first?.id, first?.body])
    const row = await waitFor(async () =>
      (await deliveries(it)).find(({ attempts, status }) => attempts === 2 && status === "delivered")
    )
    expect(row.attempts_log.map(({ attempt }) => attempt)).toEqual([1, 2])
  })

  test("is refused while it is under way, and of one that is not there or another's", async () => {
    receiver.behave(answering(503, { "retry-after": "600" }))
    const it = await subject()
    const { delivery_id } = await queueTest(it)
    await waitFor(async () => (await deliveries(it))[0]?.attempts === 1)
    expect(outcome(await redeliver(it, delivery_id))).toBe("409 redelivery_not_possible")
    for (const id of ["0", "x", "99999999999999999", "123456789", "1.2", "*", "%3E"])
      expect([id, outcome(await redeliver(it, id))]).toEqual([id, "404 not_found"])
    const other = await subject()
    expect(outcome(await redeliver(other, delivery_id))).toBe("404 not_found")
  })
})

describe("an account that is closed", () => {
  test("banned: what waits is dropped, nothing leaves", async () => {
    receiver.behave(answering(503, { "retry-after": "6" }))
    const it = await subject()
    const { delivery_id } = await queueTest(it)
    await received(1)
    // At the actor itself: on a busy machine the operator's command takes longer to start than the next try.
    await service.view.command("agent.ban", it.agent.id, { reason: "a test" })
    const count = receiver.received.length
    const status = async () =>
      (
        await service.view.db
          .selectFrom("deliveries")
          .select("status")
          .where("id", "=", String(delivery_id))
          .executeTakeFirst()
      )?.status
    await waitFor(async () => (await status()) === "dropped", { describe: "the delivery to be dropped" })
    expect(receiver.received).toHaveLength(count)
  })

  test("deleted: the log of deliveries goes with it, and what waits is dropped", async () => {
    receiver.behave(answering(503, { "retry-after": "1" }))
    const it = await subject()
    await queueTest(it)
    await received(1)
    expect(outcome(await it.client.call("DELETE", "/api/v1/me", { body: { confirm: it.agent.handle } }))).toBe("200")
    expect(
      await service.view.db.selectFrom("deliveries").selectAll().where("agent", "=", it.agent.id).execute()
    ).toEqual([])
  })

  test("the webhook taken away: what waits is dropped; set again, it goes on", async () => {
    receiver.behave(answering(503, { "retry-after": "2" }))
    const it = await subject()
    const { delivery_id } = await queueTest(it)
    await received(1)
    await it.client.call("PATCH", "/api/v1/me", { body: { webhook_url: null } })
    await settled(it, delivery_id, "dropped")
    receiver.behave(answering(200))
    await it.client.call("PATCH", "/api/v1/me", { body: { webhook_url: `${receiver.url}/elsewhere` } })
    expect(outcome(await it.client.call("POST", `/api/v1/me/webhook/deliveries/${delivery_id}/redeliver`))).toBe("202")
    await settled(it, delivery_id, "delivered")
    expect(receiver.received.at(-1)?.path).toBe("/elsewhere")
  })
})

test("the log of deliveries, made anew, is what it was; and the read models are what the log says", async () => {
  receiver.behave(inTurn(answering(500), answering(200), answering(503, { "retry-after": "900" })))
  const it = await subject()
  await settled(it, (await queueTest(it)).delivery_id, "delivered")
  await notify(it)
  await waitFor(async () => (await deliveries(it))[0]?.attempts === 1)
  const before = await deliveries(it)
  await operate(service.system, ["rebuild"])
  expect(await deliveries(it)).toEqual(before)
  expect(await operate(service.system, ["verify"])).toMatch(/^verified in /m)
  const told = await operate(service.system, ["replay", "agent", it.agent.id])
  expect(told).toContain("webhook.test")
  expect(told).not.toContain(it.agent.webhook_secret.slice(6))
})
