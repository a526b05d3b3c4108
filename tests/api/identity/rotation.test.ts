/** `POST /me/key`: who may, what it proves, what becomes of the old key, and its limits (spec 3.2, 4.4). */
import { createHash, createPublicKey, verify } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { IdentityRecord, KeyRotated } from "../../../schemas/identity/records.ts"
import { hubIdOf } from "../../../schemas/signing/key.ts"
import { AgentClient } from "../../support/client.ts"
import { send } from "../../support/http.ts"
import { operate } from "../../support/hub.ts"
import { type Identity, identityOf, newIdentity } from "../../support/identity.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../../support/outcome.ts"
import { askChallenge, register, type Registered } from "../../support/register.ts"
import { proofOf, rotate, rotationBody } from "../../support/rotation.ts"
import { logOf } from "../../support/service.ts"
import { service, edge, other, openShared, closeShared } from "./shared.ts"

beforeAll(() => openShared())
afterAll(closeShared)

const clientOf = (identity?: Identity): AgentClient =>
  new AgentClient({ edge: () => (Math.random() < 0.5 ? edge : other), ...(identity === undefined ? {} : { identity }) })

const subject = async (): Promise<{ readonly client: AgentClient; readonly agent: Registered }> => {
  const client = clientOf()
  return { client, agent: await register(client, { edge }) }
}

const recordOf = async (number: string): Promise<IdentityRecord> =>
  dataOf<IdentityRecord>(await send({ edge: other, method: "GET", path: `/api/v1/id/${number}` }))

const me = async (client: AgentClient, at: string): Promise<string> =>
  outcome(await client.call("GET", "/api/v1/me", { edge: at }))

const holds = (publicKey: string, text: string, signature: string): boolean => {
  const key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(publicKey, "base64").toString("base64url") },
    format: "jwk"
  })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, "base64"))
}

describe("a rotation", () => {
  test("puts the new key in the place of the old one on every edge, at once and for good", async () => {
    const { client, agent } = await subject()
    const next = newIdentity()
    const answer = await rotate(client, agent.id, next)
    expect(dataOf<KeyRotated>(answer)).toEqual({
      id: agent.hx_id,
      hub_id: agent.id,
      old_public_key: client.identity.publicKey,
      new_public_key: next.publicKey,
      rotated_at: expect.any(String)
    })
    for (const at of [edge, other]) {
      expect(await me(client, at)).toBe("401 key_retired")
      expect(await me(clientOf(next), at)).toBe("200")
    }
    expect(dataOf(await clientOf(next).call("GET", "/api/v1/me"))).toMatchObject({
      id: agent.id,
      hx_id: agent.hx_id,
      public_key: next.publicKey,
      unread_notifications: 1
    })
    expect(outcome(await askChallenge(client, edge))).toBe("409 key_retired")
    expect(outcome(await askChallenge(clientOf(next), other))).toBe("409 key_already_registered")
  })

  test("can be followed by another, and by writes of the newest key; only that one works", async () => {
    const { client, agent } = await subject()
    const keys = [client.identity, newIdentity(), newIdentity(), newIdentity()]
    for (let index = 1; index < keys.length; index++) {
      expect(outcome(await rotate(clientOf(keys[index - 1]), agent.id, keys[index] as Identity))).toBe("200")
    }
    expect(await Promise.all(keys.map((key) => me(clientOf(key), other)))).toEqual([
      "401 key_retired",
      "401 key_retired",
      "401 key_retired",
      "200"
    ])
    expect(outcome(await clientOf(keys[3]).call("PATCH", "/api/v1/me", { body: { name: "Fourth" } }))).toBe("200")
    expect(await recordOf(agent.hx_id)).toMatchObject({
      hub_id: agent.id,
      name: "Fourth",
      public_key: keys[3]?.publicKey
    })
  })

  test("is published with both proofs, so that anybody can check the chain of keys", async () => {
    const { client, agent } = await subject()
    const [second, third] = [newIdentity(), newIdentity()]
    await rotate(client, agent.id, second)
    await rotate(clientOf(second), agent.id, third)
    const { keys, public_key } = await recordOf(agent.hx_id)
    expect(keys.map((key) => [key.public_key, key.status])).toEqual([
      [client.identity.publicKey, "retired"],
      [second.publicKey, "retired"],
      [third.publicKey, "current"]
    ])
    expect(keys[0]?.retired_at).toBe(keys[1]?.from)
    // The first key is the identity itself; from there on each key is vouched for by the one before it.
    expect(hubIdOf(Buffer.from(keys[0]?.public_key ?? "", "base64"))).toBe(agent.id)
    for (const [index, key] of keys.entries()) {
      if (index === 0) continue
      const before = keys[index - 1]?.public_key ?? ""
      const { by_new_key, request } = key.proof ?? expect.fail("a key without a proof")
      expect(by_new_key.string_to_sign).toBe(`HUB-ROTATE-V1\n${agent.id}\n${before}\n${key.public_key}`)
      expect(holds(key.public_key, by_new_key.string_to_sign, by_new_key.signature)).toBe(true)
      expect(request.public_key).toBe(before)
      expect(holds(before, request.string_to_sign, request.signature)).toBe(true)
      expect(request.string_to_sign.split("\n").at(-1)).toBe(createHash("sha256").update(request.body).digest("hex"))
      expect(request.string_to_sign.split("\n")[3]).toBe("/api/v1/me/key")
      expect(JSON.parse(request.body)).toMatchObject({ new_public_key: key.public_key })
    }
    expect(public_key).toBe(third.publicKey)
  })

  test("under one Idempotency-Key happens once, and a retry by the old key gets its first answer", async () => {
    const { client, agent } = await subject()
    const next = newIdentity()
    const first = await rotate(client, agent.id, next, { idempotencyKey: "rotation-1" })
    const again = await rotate(client, agent.id, next, { idempotencyKey: "rotation-1" })
    expect([outcome(again), again.headers["idempotent-replayed"], again.text]).toEqual(["200", "true", first.text])
    expect(outcome(await rotate(client, agent.id, newIdentity(), { idempotencyKey: "rotation-2" }))).toBe(
      "401 key_retired"
    )
    expect((await recordOf(agent.hx_id)).keys).toHaveLength(2)
    const keyed = clientOf(next)
    for (const name of ["One", "One"])
      expect(outcome(await keyed.call("PATCH", "/api/v1/me", { body: { name }, idempotencyKey: "named" }))).toBe("200")
  })

  test("is allowed while suspended, not when banned", async () => {
    const { client, agent } = await subject()
    const next = newIdentity()
    await operate(service.system, ["agent", "suspend", agent.handle])
    expect(outcome(await rotate(client, agent.id, next))).toBe("200")
    await operate(service.system, ["agent", "ban", agent.handle])
    expect(outcome(await rotate(clientOf(next), agent.id, newIdentity()))).toBe("403 agent_banned")
  })

  test("two at once: one key wins", async () => {
    const { client, agent } = await subject()
    const rivals = [newIdentity(), newIdentity(), newIdentity()]
    const answers = await Promise.all(rivals.map((rival) => rotate(client, agent.id, rival)))
    expect(answers.map(outcome).toSorted()).toEqual(["200", "401 key_retired", "401 key_retired"])
    const { keys, public_key } = await recordOf(agent.hx_id)
    expect(keys).toHaveLength(2)
    expect(public_key).toBe(rivals[answers.findIndex((answer) => answer.status === 200)]?.publicKey)
  })

  test("two agents to one key: one gets it", async () => {
    const [one, two] = [await subject(), await subject()]
    const key = newIdentity()
    const answers = await Promise.all([one, two].map(({ client, agent }) => rotate(client, agent.id, key)))
    expect(answers.map(outcome).toSorted()).toEqual(["200", "409 key_unavailable"])
    expect(await me(clientOf(key), edge)).toBe("200")
  })
})

describe("a rotation is refused", () => {
  test.each<readonly [string, (it: { client: AgentClient; agent: Registered }) => Promise<unknown>, string, string]>([
    ["without a proof", async () => ({ new_public_key: newIdentity().publicKey }), "422 validation_error", "proof"],
    ["without a key", async () => ({ proof: "AAAA" }), "422 validation_error", "new_public_key"],
    [
      "with a key of small order",
      async () => ({ new_public_key: Buffer.alloc(32).toString("base64"), proof: "AAAA" }),
      "422 validation_error",
      "new_public_key"
    ],
    [
      "with a proof that is no signature",
      async () => ({ new_public_key: newIdentity().publicKey, proof: "AAAA" }),
      "422 rotation_proof_invalid",
      "proof"
    ],
    [
      "with a proof by the old key",
      async ({ client, agent }) => ({
        new_public_key: newIdentity().publicKey,
        proof: proofOf(agent.id, client.identity.publicKey, client.identity)
      }),
      "422 rotation_proof_invalid",
      "proof"
    ],
    [
      "with a proof for another agent",
      async ({ client }) => rotationBody(newIdentity().hubId, client.identity.publicKey, newIdentity()),
      "422 rotation_proof_invalid",
      "proof"
    ],
    [
      "to its own current key",
      async ({ client, agent }) => rotationBody(agent.id, client.identity.publicKey, client.identity),
      "409 key_unavailable",
      "new_public_key"
    ],
    [
      "to another agent's key",
      async ({ client, agent }) => rotationBody(agent.id, client.identity.publicKey, (await subject()).client.identity),
      "409 key_unavailable",
      "new_public_key"
    ],
    [
      "with a body that says more",
      async ({ client, agent }) => ({
        ...rotationBody(agent.id, client.identity.publicKey, newIdentity()),
        note: "read me"
      }),
      "422 validation_error",
      "body"
    ],
    [
      "with a body that names two keys",
      async ({ client, agent }) => {
        const next = newIdentity()
        const good = JSON.stringify(rotationBody(agent.id, client.identity.publicKey, next))
        return `{"new_public_key":"${newIdentity().publicKey}",${good.slice(1)}`
      },
      "422 validation_error",
      "new_public_key"
    ],
    [
      "with a key between spaces",
      async ({ client, agent }) => {
        const next = newIdentity()
        return { ...rotationBody(agent.id, client.identity.publicKey, next), new_public_key: ` ${next.publicKey}` }
      },
      "422 validation_error",
      "new_public_key"
    ],
    [
      "with a body that is long",
      async ({ client, agent }) => ({
        ...rotationBody(agent.id, client.identity.publicKey, newIdentity()),
        note: "x".repeat(3000)
      }),
      "422 validation_error",
      "body"
    ]
  ])("%s", async (_name, body, expected, field) => {
    const it = await subject()
    const answer = await it.client.call("POST", "/api/v1/me/key", { body: await body(it) })
    expect(outcome(answer)).toBe(expected)
    expect(fieldOf(answer)).toBe(field)
    expect(await me(it.client, edge)).toBe("200")
  })

  test("and told what the new key should have signed", async () => {
    const { client, agent } = await subject()
    const next = newIdentity()
    const answer = await client.call("POST", "/api/v1/me/key", {
      body: { new_public_key: next.publicKey, proof: "AAAA" }
    })
    expect(detailsOf(answer)["string_to_sign"]).toBe(
      `HUB-ROTATE-V1\n${agent.id}\n${client.identity.publicKey}\n${next.publicKey}`
    )
  })

  test("to a key of a deleted account, or one that was replaced before", async () => {
    const gone = await subject()
    await gone.client.call("DELETE", "/api/v1/me", { body: { confirm: gone.agent.handle } })
    const { client, agent } = await subject()
    expect(outcome(await rotate(client, agent.id, gone.client.identity))).toBe("409 key_unavailable")
    const next = newIdentity()
    await rotate(client, agent.id, next)
    expect(outcome(await rotate(clientOf(next), agent.id, client.identity))).toBe("409 key_unavailable")
  })

  test("the fourth time in a day, when three have succeeded; failures do not count, and a restart forgets nothing", async () => {
    const { client, agent } = await subject()
    const keys = [client.identity, newIdentity(), newIdentity(), newIdentity()]
    for (let index = 1; index < keys.length; index++) {
      const by = clientOf(keys[index - 1])
      await by.call("POST", "/api/v1/me/key", { body: { new_public_key: newIdentity().publicKey, proof: "AAAA" } })
      expect(outcome(await rotate(by, agent.id, keys[index] as Identity))).toBe("200")
    }
    for (const actor of service.system.actors) await actor.restart()
    const answer = await rotate(clientOf(keys[3]), agent.id, newIdentity())
    expect(outcome(answer)).toBe("429 rate_limited")
    expect(detailsOf(answer)).toMatchObject({ bucket: "key_rotation", limit: 3, window_seconds: 86_400 })
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(86_000)
  })
})

test("no key, seed or proof of a rotation stands in a log line", async () => {
  const { client, agent } = await subject()
  const next = identityOf(Buffer.alloc(32, 7))
  await rotate(client, agent.id, next)
  const text = service.system.logs.text()
  expect(text).not.toContain(proofOf(agent.id, client.identity.publicKey, next))
  expect(text).not.toContain(next.publicKey)
  const entries = await logOf(service.view, "agent", agent.id)
  expect(entries.at(-1)?.commit.events.map((event) => event.type)).toEqual(["agent.key_rotated", "agent.notified"])
})
