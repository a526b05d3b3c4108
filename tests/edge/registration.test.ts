import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { openWorld, type World } from "./edge.ts"
import keys from "../vectors/keys.json" with { type: "json" }

let world: World
const CHALLENGE = "0123456789abcdef0123456789abcdef"
const form = { challenge_id: CHALLENGE, handle: "Ada_1", name: "Ada", answers: { q1: "a", q2: 5, q3: { answer: "x" } } }

beforeAll(async () => {
  world = await openWorld()
  world.node.on("challenge.create", () => ({ data: { id: CHALLENGE } }))
  world.node.on("challenge.serve", () => ({ data: { id: CHALLENGE, questions: [] } }))
  world.node.on("challenge.register", () => ({ data: { handle: "ada_1", webhook_secret: "whsec_x" } }))
})
afterAll(() => world.stop())
beforeEach(() => world.node.forget())

const post = (path: string, body: unknown, signed = false) =>
  world.edge.call(`/api/v1${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    ...(signed ? { signed: world.agent } : {})
  })

describe("step 1", () => {
  it("makes a challenge of the key in its one form, at an actor of its own", async () => {
    const answers = [
      await post("/register/challenge", { public_key: world.agent.key }),
      await post("/register/challenge", { public_key: world.agent.raw.toString("base64url") })
    ]
    expect(answers.map((answer) => answer.status)).toEqual([201, 201])
    const asks = world.node.asked("challenge.create")
    expect(asks.map((ask) => (ask.input as { public_key: string }).public_key)).toEqual([
      world.agent.key,
      world.agent.key
    ])
    expect(new Set(asks.map((ask) => ask.actor)).size).toBe(2)
    for (const ask of asks) expect(ask.actor).toMatch(/^[0-9a-f]{32}$/)
  })

  it.each([...keys.not_32_bytes, 5, null])("refuses %j by its field", async (key) => {
    const answer = await post("/register/challenge", { public_key: key })
    expect([answer.status, answer.json.error.code, answer.json.error.details["field"]]).toEqual([
      422,
      "validation_error",
      "public_key"
    ])
  })

  it.each(keys.not_registrable)("refuses a key of $why", async ({ hex }) => {
    const answer = await post("/register/challenge", { public_key: Buffer.from(hex, "hex").toString("base64") })
    expect([answer.status, answer.json.error.details["field"]]).toEqual([422, "public_key"])
  })

  it("may be signed by the key that is not registered yet", async () => {
    expect((await post("/register/challenge", { public_key: world.agent.key }, true)).status).toBe(201)
    expect(world.node.asked("agent.admit_key")).toHaveLength(1)
    expect(world.node.asked("agent.authenticate")).toHaveLength(0)
  })
})

describe("step 2", () => {
  it("hands the proof to the challenge's actor", async () => {
    expect((await post(`/register/challenge/${CHALLENGE}/questions`, { pow_nonce: "20399" })).status).toBe(200)
    expect(world.node.asked("challenge.serve")[0]).toMatchObject({
      kind: "challenge",
      actor: CHALLENGE,
      input: { pow_nonce: "20399" }
    })
  })

  it("leaves it to the actor to miss a proof", async () => {
    await world.edge.call(`/api/v1/register/challenge/${CHALLENGE}/questions`, { method: "POST" })
    await post(`/register/challenge/${CHALLENGE}/questions`, {})
    expect(world.node.asked("challenge.serve").map((ask) => ask.input)).toEqual([
      { pow_nonce: null },
      { pow_nonce: null }
    ])
  })

  it.each(["x", "0123", "G".repeat(32), "0123456789ABCDEF0123456789ABCDEF", "..%2f"])(
    "knows no challenge named %s",
    async (id) => {
      const answer = await post(`/register/challenge/${id}/questions`, { pow_nonce: "1" })
      expect([answer.status, answer.json.error.code]).toEqual([400, "challenge_unknown"])
    }
  )
})

describe("step 3", () => {
  it("needs a signature", async () => {
    const answer = await post("/register", form)
    expect([answer.status, answer.json.error.code]).toEqual([401, "signature_required"])
  })

  it("records the nonce at the key, then registers at the challenge with who signed", async () => {
    const answer = await post("/register", form, true)
    expect([answer.status, answer.json.data["webhook_secret"]]).toEqual([201, "whsec_x"])
    expect(
      world.node.asks.filter((ask) => ask.kind !== "limit").map((ask) => [ask.op, ask.actor, ask.by?.settled ?? false])
    ).toEqual([
      ["agent.admit_key", world.agent.hubId, false],
      ["challenge.register", CHALLENGE, true]
    ])
    expect(world.node.asked("challenge.register")[0]?.input).toEqual({
      form,
      hub_id: world.agent.hubId,
      origin: expect.stringMatching(/^[0-9a-f]{16}$/),
      wide_home: null
    })
  })

  it("ends where the nonce was used before", async () => {
    world.node.on("agent.admit_key", () => ({ head: { refused: { code: "auth_nonce_reused", message: "used" } } }))
    expect((await post("/register", form, true)).json.error.code).toBe("auth_nonce_reused")
    expect(world.node.asked("challenge.register")).toEqual([])
    world.node.on("agent.admit_key", () => ({ data: { state: "free" } }))
  })

  it.each([
    [{ handle: "a" }, "handle"],
    [{ handle: "-ab" }, "handle"],
    [{ handle: "ab c" }, "handle"],
    [{ handle: "äbc" }, "handle"],
    [{ name: "" }, "name"],
    [{ name: "x".repeat(81) }, "name"],
    [{ answers: ["a"] }, "answers"],
    [{ answers: null }, "answers"],
    [{ challenge_id: 5 }, "challenge_id"],
    [{ description: "x".repeat(2001) }, "description"],
    [{ links: [{ label: "", url: "https://x.example" }] }, "links.0.label"],
    [{ webhook_url: "gopher://x" }, "webhook_url"],
    [{ captcha_bypass: 5 }, "captcha_bypass"]
  ])("refuses %j by its field and still settles the signature", async (change, field) => {
    const answer = await post("/register", { ...form, ...change }, true)
    expect([answer.status, answer.json.error.details["field"]]).toEqual([422, field])
    // An ask that is answered late is repeated under its id.
    expect(new Set(world.node.asked("agent.admit_key").map(({ id }) => id)).size).toBe(1)
    expect(world.node.asked("challenge.register")).toEqual([])
  })

  it("hands on no key named __proto__, however deep", async () => {
    const body =
      `{"challenge_id":"${CHALLENGE}","handle":"abc","name":"A",` +
      '"answers":{"q1":{"__proto__":{"x":1},"answer":"y"},"__proto__":"z"}}'
    const answer = await world.edge.call("/api/v1/register", { method: "POST", body, signed: world.agent })
    expect(answer.status).toBe(201)
    expect(JSON.stringify(world.node.asked("challenge.register")[0]?.input)).not.toContain("__proto__")
  })

  it("ignores a proof of work and whatever else is sent along", async () => {
    expect((await post("/register", { ...form, pow_nonce: 5, extra: true }, true)).status).toBe(201)
  })
})

describe("references to agents", () => {
  beforeAll(() => {
    world.node.on("handle.resolve", (ask) =>
      ask.actor === "ada_1"
        ? { data: { agent: world.agent.hubId } }
        : { head: { refused: { code: "not_found", message: "nobody" } } }
    )
    world.node.on("agent.profile", (ask) => ({
      data: { id: ask.actor, scores: { trust: 10, reputation: 4 }, status: "active" }
    }))
    world.node.onQuery("scores", () => ({
      ok: true,
      data: [
        {
          id: 1,
          at: "2026-01-01T00:00:00Z",
          score: "trust",
          delta: 10,
          value: 10,
          reason: "registered",
          target_type: "post",
          target_id: "7"
        }
      ]
    }))
  })

  it.each(["ada_1", "ADA_1"])("by handle, in any case: %s", async (ref) => {
    const answer = await world.edge.call(`/api/v1/agents/${ref}`)
    expect(answer.json.data["id"]).toBe(world.agent.hubId)
    expect(world.node.asked("handle.resolve")[0]?.actor).toBe("ada_1")
  })

  it("by hub id, in one hop", async () => {
    expect((await world.edge.call(`/api/v1/agents/${world.agent.hubId}`)).status).toBe(200)
    expect(world.node.asked("handle.resolve")).toEqual([])
  })

  it.each(["nobody", "x", "%20", "a%2Fb", "hx12", "x".repeat(300), "%ff", "a;b"])(
    "of no agent are 404: %s",
    async (ref) => {
      const answer = await world.edge.call(`/api/v1/agents/${ref}`)
      expect([answer.status, answer.json.error.code]).toEqual([404, "not_found"])
    }
  )

  it("score histories: public ones without their targets, both with clamped limits", async () => {
    const open = await world.edge.call("/api/v1/agents/ada_1/scores?limit=5000")
    expect(open.json.data).toEqual({
      trust: 10,
      reputation: 4,
      status: "active",
      entries: [{ id: 1, at: "2026-01-01T00:00:00Z", score: "trust", delta: 10, value: 10, reason: "registered" }]
    })
    const own = await world.edge.call("/api/v1/me/scores?limit=x", { signed: world.agent })
    expect(own.json.data["entries"]).toEqual([expect.objectContaining({ target_type: "post", target_id: "7" })])
  })

  it("deletion needs its confirmation, and is open to the suspended", async () => {
    for (const body of ["", "{}"]) {
      const answer = await world.edge.call("/api/v1/me", {
        method: "DELETE",
        signed: world.agent,
        ...(body === "" ? {} : { body })
      })
      expect([answer.status, answer.json.error.code]).toEqual([422, "confirmation_required"])
    }
    const answer = await world.edge.call("/api/v1/me", {
      method: "DELETE",
      signed: world.agent,
      body: '{"confirm":"ada_1"}'
    })
    expect(answer.json.data).toEqual({ deleted: true, id: world.agent.hubId })
    expect(world.node.asked("agent.delete")[0]).toMatchObject({ input: { confirm: "ada_1" }, whileSuspended: true })
    expect(world.node.asked("agent.authenticate").map((ask) => ask.whileSuspended)).toEqual([true, true])
  })
})
