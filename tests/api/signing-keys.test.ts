/** What a key that signs may do, hear and keep once it is retired, or as long as it is nobody's (contract 21). */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { streams, subjects } from "../../schemas/subjects.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { type Identity, newIdentity } from "../support/identity.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { rotate, rotationBody, setRecovery } from "../support/rotation.ts"
import { logOf, PRODUCT_DEADLINE, sharedService, type TestService, testService } from "../support/service.ts"

let service: TestService
let edge: string

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
})
afterAll(() => service?.stop())

const clientOf = (identity?: Identity): AgentClient =>
  new AgentClient({ edge: () => edge, ...(identity === undefined ? {} : { identity }) })

const rotated = async () => {
  const old = clientOf()
  const { id } = await register(old, { edge })
  const next = newIdentity()
  expect(outcome(await rotate(old, id, next, { idempotencyKey: "rotation" }))).toBe("200")
  return { old, next, current: clientOf(next), id }
}

const keptOf = async (hubId: string): Promise<number> =>
  Object.keys(
    (
      await service.view.manager.streams.info(streams.newcomersIdempotency, {
        subjects_filter: subjects.newcomersIdempotency(hubId, "*")
      })
    ).state.subjects ?? {}
  ).length

describe("a retired key", () => {
  test("hears nothing of what it was answered before, nor what the next key was", async () => {
    const old = clientOf()
    const { id } = await register(old, { edge })
    const secret = (client: AgentClient, idempotencyKey: string) =>
      client.call("POST", "/api/v1/me/webhook/secret", { idempotencyKey })
    expect(outcome(await secret(old, "mine"))).toBe("200")
    const next = newIdentity()
    expect(outcome(await rotate(old, id, next))).toBe("200")
    const current = clientOf(next)
    const first = await secret(current, "its")
    expect(outcome(first)).toBe("200")
    for (const key of ["mine", "its", "never used"]) expect(outcome(await secret(old, key))).toBe("401 key_retired")
    // Nor has it spoilt a name for the key that came after it: the same name is another record.
    expect(outcome(await secret(current, "mine"))).toBe("200")
    expect((await secret(current, "its")).text).toBe(first.text)
  })

  test("hears its own rotation again, as it was asked, and nothing else of it", async () => {
    const { old, next, id } = await rotated()
    const again = await rotate(old, id, next, { idempotencyKey: "rotation" })
    expect([outcome(again), again.headers["idempotent-replayed"]]).toEqual(["200", "true"])
    expect(outcome(await rotate(old, id, newIdentity(), { idempotencyKey: "rotation" }))).toBe("401 key_retired")
    expect(outcome(await rotate(old, id, next, { idempotencyKey: "another" }))).toBe("401 key_retired")
    expect(outcome(await rotate(old, id, next))).toBe("401 key_retired")
    expect(outcome(await old.call("POST", "/api/v1/me/key", { body: "{", idempotencyKey: "damaged" }))).toBe(
      "422 validation_error"
    )
    expect(
      outcome(
        await old.call("POST", "/api/v1/me/key", {
          body: rotationBody(id, next.publicKey, newIdentity()),
          idempotencyKey: "damaged"
        })
      )
    ).toBe("401 key_retired")
  })

  test("draws nothing of the agent's, whatever it sends under its own rotation's name", async () => {
    const { old, next, current, id } = await rotated()
    const left = async (): Promise<number> =>
      Number((await current.call("GET", "/api/v1/me")).headers["x-ratelimit-remaining"])
    const before = await left()
    for (let i = 0; i < 5; i++) await rotate(old, id, next, { idempotencyKey: `name ${i}` })
    for (let i = 0; i < 5; i++)
      await old.call("PATCH", "/api/v1/me", { body: { name: "x" }, idempotencyKey: `name ${i}` })
    expect(await left()).toBe(before - 1)
  })

  test("can never register again, wherever it stands in the chain", async () => {
    const { old, next, current, id } = await rotated()
    const third = newIdentity()
    expect(outcome(await rotate(current, id, third))).toBe("200")
    const begin = (key: Identity) =>
      send({
        edge,
        method: "POST",
        path: "/api/v1/register/challenge",
        body: JSON.stringify({ public_key: key.publicKey })
      })
    expect(outcome(await begin(old.identity))).toBe("409 key_retired")
    expect(outcome(await begin(next))).toBe("409 key_retired")
    expect(outcome(await begin(third))).toBe("409 key_already_registered")
  })

  test("of an agent that is gone is retired as well", async () => {
    const { next, current, id } = await rotated()
    const { handle } = dataOf<{ handle: string }>(await current.call("GET", "/api/v1/me"))
    expect(outcome(await current.call("DELETE", "/api/v1/me", { body: { confirm: handle } }))).toBe("200")
    const body = JSON.stringify({ public_key: next.publicKey })
    expect(outcome(await send({ edge, method: "POST", path: "/api/v1/register/challenge", body }))).toBe(
      "409 key_retired"
    )
    expect(outcome(await setRecovery(current, newIdentity(), id))).toBe("403 agent_deleted")
  })
})

describe("a key that no agent has", () => {
  test("keeps no answers, and stands under way nowhere", async () => {
    const stranger = clientOf()
    for (const [method, path] of [
      ["PATCH", "/api/v1/me"],
      ["POST", "/api/v1/me/webhook/test"],
      ["POST", "/api/v1/me/key"],
      ["DELETE", "/api/v1/me"]
    ] as const) {
      expect(outcome(await stranger.call(method, path, { body: { nonsense: 1 }, idempotencyKey: "k" })), path).toBe(
        "401 key_unknown"
      )
    }
    const body = { agent: "nobody", ...rotationBody("hx0", stranger.identity.publicKey, newIdentity()) }
    expect(outcome(await stranger.call("POST", "/api/v1/recover", { body, idempotencyKey: "k" }))).toBe("404 not_found")
    expect(await keptOf(stranger.hubId)).toBe(0)
    // Refusals of registration are not kept either: keys cost nothing, and whoever has many would push out what others keep.
    const form = () =>
      stranger.call("POST", "/api/v1/register", { body: { challenge_id: "none" }, idempotencyKey: "k" })
    const first = await form()
    expect(first.status).toBe(422)
    expect((await form()).code).toBe(first.code)
    expect(await keptOf(stranger.hubId)).toBe(0)
  })
})

describe("a signature that cannot be recorded", () => {
  test("changes nothing: what it asked for is not done, and is done once when it is asked for again", async () => {
    const alone = await testService({ limits: PRODUCT_DEADLINE })
    try {
      const client = new AgentClient({ edge: () => alone.edges[0] ?? "" })
      const { id } = await register(client, { edge: alone.edges[0] ?? "" })
      const { config } = await alone.view.manager.streams.info(streams.nonces)
      const before = await logOf(alone.view, "agent", id)
      await alone.view.manager.streams.delete(streams.nonces)
      const refused = await client.call("PATCH", "/api/v1/me", { body: { name: "Under no nonce" } })
      expect(outcome(refused)).toBe("503 unavailable")
      expect(await logOf(alone.view, "agent", id)).toEqual(before)
      await alone.view.manager.streams.add(config)
      expect(outcome(await client.call("PATCH", "/api/v1/me", { body: { name: "Under a nonce" } }))).toBe("200")
      expect(await logOf(alone.view, "agent", id)).toHaveLength(before.length + 1)
    } finally {
      await alone.stop()
    }
  })
})
