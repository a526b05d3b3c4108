/** Decisions on an agent's webhook (contract 4): what is delivered with what, what is chosen, tests counted. */
import { describe, expect, test } from "vitest"
import { createHmac, verify } from "node:crypto"
import type { Agent, AgentEvent, AgentState } from "../../../../actors/agent/state.ts"
import type { Decision } from "../../../../actors/engine/definition.ts"
import { Sealer } from "../../../../actors/log/seal.ts"
import { notified } from "../../../../actors/agent/notification/notify.ts"
import {
  decideChoose,
  decideRedelivery,
  decideRotateSecret,
  decideTest,
  tryRefusal,
  withDelivery
} from "../../../../actors/agent/webhook/decide.ts"
import { secretPurpose } from "../../../../actors/agent/webhook/secret.ts"
import { WebhookSigner } from "../../../../actors/agent/webhook/sign.ts"
import { LIMITS } from "../../../../schemas/limits.ts"
import { NOTIFICATION_TYPES, type NotificationName } from "../../../../schemas/notification/types.ts"
import vectors from "../../../vectors/webhook-signing.json" with { type: "json" }
import { ID, HOUR, START, agent, eventsOf, after, alsoOf, context, withHook } from "./agent.ts"

describe("a notification", () => {
  const decision: Decision<AgentEvent> = {
    events: [notified(42, "message.received", { excerpt: "hello" })],
    companions: [{ kind: "key", id: "k", expected: 0, events: [] }]
  }

  test("begins its delivery in the same commit, beside what else the commit begins", () => {
    expect(alsoOf(withDelivery(agent, decision, context(), LIMITS))).toEqual([
      { kind: "key", id: "k", expected: 0, events: [] },
      {
        kind: "delivery",
        id: "42",
        expected: 0,
        drawn: true,
        events: [
          {
            type: "delivery.queued",
            v: 1,
            agent: ID,
            about: "message.received",
            receiver: "hook.example:443",
            body: JSON.stringify({
              type: "message.received",
              timestamp: new Date(START).toISOString(),
              notification_id: 42,
              agent: { id: ID, hx_id: "HX-000007", handle: "ada" },
              payload: { excerpt: "hello" }
            })
          }
        ],
        keepSeconds: LIMITS.webhook.kept_seconds
      }
    ])
  })

  test("several have one each", () => {
    const two: Decision<AgentEvent> = {
      events: [notified(1, "webhook.test", {}), { type: "agent.deleted", v: 1 }, notified(2, "webhook.test", {})]
    }
    expect(alsoOf(withDelivery(agent, two, context(), LIMITS)).map(({ id }) => id)).toEqual(["1", "2"])
  })

  test("has none where there is nothing to deliver to, or it was not chosen", () => {
    const none: ReadonlyArray<AgentState> = [
      null,
      { ...agent, webhook_url: null },
      withHook({ disabled: { at: 1, reason: "gone" } }),
      { ...agent, status: "banned" },
      { ...agent, status: "deleted" },
      withHook({ events: [] }),
      withHook({ events: ["webhook.test"] })
    ]
    for (const state of none) expect(withDelivery(state, decision, context(), LIMITS)).toBe(decision)
    expect(alsoOf(withDelivery({ ...agent, status: "suspended" }, decision, context(), LIMITS))).toHaveLength(2)
    expect(alsoOf(withDelivery(withHook({ events: ["message.received"] }), decision, context(), LIMITS))).toHaveLength(
      2
    )
    const refused: Decision<AgentEvent> = { refused: { code: "unavailable", message: "" }, events: decision.events }
    expect(withDelivery(agent, refused, context(), LIMITS)).toBe(refused)
  })

  test("a test always goes; what is told of the webhook itself never does", () => {
    const of = (about: NotificationName) =>
      alsoOf(withDelivery(withHook({ events: [] }), { events: [notified(1, about, {})] }, context(), LIMITS)).length
    expect([of("webhook.test"), of("agent.key_rotated")]).toEqual([1, 0])
    const chosen = withHook({ events: NOTIFICATION_TYPES.map(({ type }) => type) })
    expect(alsoOf(withDelivery(chosen, { events: [notified(1, "webhook.disabled", {})] }, context(), LIMITS))).toEqual(
      []
    )
  })
})

describe("tests and repeated deliveries", () => {
  const codeOf = (state: AgentState, at = START) => tryRefusal(state, at, LIMITS)?.code ?? "possible"

  test("five an hour together, then when the first of them is an hour ago", () => {
    let state = agent
    for (let count = 0; count < 5; count++) {
      const at = START + count * 60_000
      state = after(
        state,
        count % 2 === 0
          ? decideTest(state, context(at, count + 1), LIMITS)
          : decideRedelivery(state, "9", context(at), LIMITS),
        at
      )
    }
    const refused = tryRefusal(state, START + 10 * 60_000, LIMITS)
    expect(refused).toMatchObject({
      code: "rate_limited",
      retryAfter: 3000,
      details: { bucket: "webhook_test", limit: 5, window_seconds: 3600 }
    })
    expect([codeOf(state, START + HOUR - 1), codeOf(state, START + HOUR)]).toEqual(["rate_limited", "possible"])
    expect(decideTest(state, context(START + 10 * 60_000), LIMITS)).toMatchObject({ refused: { code: "rate_limited" } })
    expect(decideRedelivery(state, "9", context(START + 10 * 60_000), LIMITS)).toMatchObject({
      refused: { code: "rate_limited" }
    })
  })

  test("need a webhook that is on, and an account that may write", () => {
    expect(
      [agent, null, { ...agent, webhook_url: null }, withHook({ disabled: { at: START, reason: "gone" } })].map(
        (state) => codeOf(state)
      )
    ).toEqual(["possible", "not_found", "webhook_not_set", "webhook_not_set"])
    expect((["suspended", "banned", "deleted"] as const).map((status) => codeOf({ ...agent, status }))).toEqual([
      "agent_suspended",
      "agent_banned",
      "agent_deleted"
    ])
  })
})

describe("choice and secret", () => {
  test("a choice is kept sorted, once each; the same again changes nothing", () => {
    const chosen = after(
      agent,
      decideChoose(agent, { events: ["message.received", "agent.key_rotated", "message.received"] })
    )
    expect(chosen.webhook.events).toEqual(["agent.key_rotated", "message.received"])
    expect(eventsOf(decideChoose(chosen, { events: ["agent.key_rotated", "message.received"] }))).toEqual([])
    expect(eventsOf(decideChoose(agent, { events: null }))).toEqual([])
    expect(after(chosen, decideChoose(chosen, { events: null })).webhook.events).toBeNull()
  })

  const seed = Buffer.from(vectors.server_seed, "base64")
  const sealer = new Sealer(seed)
  const sealed = (secret: string) => sealer.seal(secret, secretPurpose(ID))
  const [delivery] = vectors.deliveries
  if (delivery === undefined) throw new Error("there are no vectors")

  test("the signatures are those of the vectors", () => {
    const signed = new WebhookSigner(seed, sealer).signatures(
      ID,
      { ...agent, webhook_secret: sealed(vectors.secret) },
      delivery,
      START
    )
    expect(signed).toBe(`v1,${delivery.v1} v1a,${delivery.v1a}`)
  })

  test("for a day after a change the old secret signs too, three secrets at most", () => {
    const secrets = ["A", "B", "C", "D"].map((letter) => `whsec_${Buffer.alloc(32, letter).toString("base64")}`)
    const [a = "", b = "", c = "", d = ""] = secrets
    let state: Agent = { ...agent, webhook_secret: sealed(a) }
    state = after(state, decideRotateSecret(state, sealed(b), START, LIMITS))
    const signer = new WebhookSigner(seed, sealer)
    const hmac = (secret: string) =>
      `v1,${createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
        .update(delivery.string_to_sign)
        .digest("base64")}`
    const by = (at: number) => signer.signatures(ID, state, delivery, at).split(" ").slice(0, -1)
    expect(by(START)).toEqual([hmac(b), hmac(a)])
    expect([by(START + 24 * HOUR - 1), by(START + 24 * HOUR)]).toEqual([[hmac(b), hmac(a)], [hmac(b)]])
    state = after(state, decideRotateSecret(state, sealed(c), START + HOUR, LIMITS), START + HOUR)
    expect(by(START + 2 * HOUR)).toEqual([hmac(c), hmac(b), hmac(a)])
    expect(by(START + 24 * HOUR)).toEqual([hmac(c), hmac(b)])
    state = after(state, decideRotateSecret(state, sealed(d), START + 2 * HOUR, LIMITS), START + 2 * HOUR)
    expect(by(START + 2 * HOUR)).toEqual([hmac(d), hmac(c), hmac(b)])
    const own = signer.signatures(ID, state, delivery, START).split(" ").at(-1)?.slice(4) ?? ""
    const key = {
      key: Buffer.concat([
        Buffer.from("302a300506032b6570032100", "hex"),
        Buffer.from(vectors.server_public_key, "base64")
      ]),
      format: "der",
      type: "spki"
    } as const
    expect(verify(null, Buffer.from(delivery.string_to_sign), key, Buffer.from(own, "base64"))).toBe(true)
  })
})
