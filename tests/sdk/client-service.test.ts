/**
 * The client and the service itself: registration, keys, recovery, attestation, proofs; with answers that are lost on
 * the way.
 */
import { createPublicKey, verify } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  type AgentKey,
  type Answers,
  createClient,
  generateKey,
  type HubClient,
  HubError,
  type QuestionsToSolve,
  type RegisterOptions
} from "../../edge/sdk/client.ts"
import { answersOf } from "../api/steps.ts"
import { waitFor } from "../harness/index.ts"
import { freshHandle } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"
import { type Lossy, lossyWay } from "./support/lossy.ts"
import { startPlayer } from "./support/player.ts"

const ANSWER_TTL_SECONDS = 4
const RECOVERY_DELAY_SECONDS = 2
const QUICK = { pauseMs: 5, pauseMaxMs: 20, tries: 3 }

let service: TestService
let edge = ""
let way: Lossy

beforeAll(async () => {
  service = await testService({
    edges: 1,
    actors: 1,
    limits: {
      "registration.answer_ttl_seconds": ANSWER_TTL_SECONDS,
      "identity.recovery_delay_seconds": RECOVERY_DELAY_SECONDS,
      "rate_limits.recover.requests": 1_000_000
    }
  })
  edge = service.edges[0] ?? ""
  way = await lossyWay(edge)
})
afterAll(async () => {
  await way?.stop()
  await service?.stop()
})

const clientOf = (key: AgentKey, hub = edge): HubClient =>
  createClient({ hub, host: new URL(edge).host, key, retry: QUICK })

const solve = ({ id }: QuestionsToSolve): Promise<Answers> => answersOf(service.view, id)

const form = (more: Partial<RegisterOptions> = {}): RegisterOptions => ({
  handle: freshHandle(),
  name: "Ada",
  solve,
  ...more
})

async function agent(): Promise<{
  readonly hub: HubClient
  readonly key: AgentKey
  readonly id: string
  readonly number: string
  readonly handle: string
}> {
  const key = await generateKey()
  const hub = clientOf(key)
  const { id, hx_id, handle } = await hub.register(form())
  return { hub, key, id, number: hx_id, handle }
}

const errorOf = async (work: Promise<unknown>): Promise<HubError> => {
  const error = await work.then(
    () => new Error("it succeeded"),
    (cause: unknown) => cause
  )
  if (error instanceof HubError) return error
  throw error
}

const times = (method: string, target: RegExp, from = 0): number =>
  way.asked.slice(from).filter((asked) => asked.method === method && target.test(asked.target)).length

describe("registration", () => {
  test("goes from the key to the profile", async () => {
    const key = await generateKey()
    const hub = clientOf(key)
    const seen: Array<QuestionsToSolve> = []
    const handle = freshHandle()
    const registered = await hub.register(
      form({
        handle,
        name: "Ada 🐙",
        description: "I count things.",
        links: [{ label: "home", url: "https://ada.example" }],
        solve: (toSolve) => {
          seen.push(toSolve)
          return solve(toSolve)
        }
      })
    )
    expect(registered).toMatchObject({
      id: key.hubId,
      public_key: key.publicKey,
      handle,
      name: "Ada 🐙",
      description: "I count things.",
      links: [{ label: "home", url: "https://ada.example" }]
    })
    expect(registered.webhook_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(seen.map(({ questions }) => questions.map(({ id }) => id))).toEqual([["q1", "q2", "q3", "q4", "q5"]])
    expect(await hub.identity()).toEqual({ number: registered.hx_id, idUrl: registered.id_url })
    expect((await hub.get("/me")).data.handle).toBe(handle)
  })

  test("gets its one-time secret though the answer was lost", async () => {
    way.lose("POST", /\/register$/, 2)
    const from = way.asked.length
    const registered = await clientOf(await generateKey(), way.url).register(form())
    expect(registered.webhook_secret).toMatch(/^whsec_/)
    expect([times("POST", /\/register$/, from), times("POST", /\/register\/challenge$/, from)]).toEqual([3, 1])
  })

  test("takes a new challenge where the questions were lost, and does not ask for them twice", async () => {
    way.lose("POST", /\/questions$/, 1)
    const from = way.asked.length
    expect((await clientOf(await generateKey(), way.url).register(form())).name).toBe("Ada")
    expect([times("POST", /\/register\/challenge$/, from), times("POST", /\/questions$/, from)]).toEqual([2, 2])
  })

  test("asks for a challenge again where that answer was lost", async () => {
    way.lose("POST", /\/register\/challenge$/, 1)
    expect((await clientOf(await generateKey(), way.url).register(form({ attempts: 1 }))).name).toBe("Ada")
  })

  test("goes on after wrong answers as long as there are attempts", async () => {
    const wrongFirst = (wrong: number) => {
      let asked = 0
      return async (toSolve: QuestionsToSolve): Promise<Answers> =>
        ++asked > wrong ? solve(toSolve) : { q1: "nobody" }
    }
    expect(
      await errorOf(clientOf(await generateKey()).register(form({ attempts: 1, solve: wrongFirst(1) })))
    ).toMatchObject({
      code: "challenge_wrong_answers",
      status: 422,
      details: { correct: 0, required: 4, wrong: ["q1", "q2", "q3", "q4", "q5"] }
    })
    expect((await clientOf(await generateKey()).register(form({ attempts: 2, solve: wrongFirst(1) }))).name).toBe("Ada")
  })

  test("tells whoever answers when it is too late", async () => {
    let told: unknown
    const late = form({
      attempts: 1,
      solve: ({ signal, dueAt }) =>
        new Promise((resolve) => {
          expect(dueAt.getTime()).toBeLessThanOrEqual(Date.now() + ANSWER_TTL_SECONDS * 1000)
          signal.addEventListener("abort", () => {
            told = signal.reason
            resolve({})
          })
        })
    })
    expect((await errorOf(clientOf(await generateKey()).register(late))).code).toBe("answers_late")
    expect(told).toBeInstanceOf(Error)
  })

  test("does not try again what will not do", async () => {
    const { handle } = await agent()
    let asked = 0
    const counting = (toSolve: QuestionsToSolve): Promise<Answers> => {
      asked += 1
      return solve(toSolve)
    }
    expect((await errorOf(clientOf(await generateKey()).register(form({ handle, solve: counting })))).code).toBe(
      "handle_taken"
    )
    expect(await errorOf(clientOf(await generateKey()).register(form({ name: "", solve: counting })))).toMatchObject({
      code: "validation_error",
      details: { field: "name" }
    })
    expect(asked).toBe(2)
    const broken = new Error("no idea")
    await expect(clientOf(await generateKey()).register(form({ solve: () => Promise.reject(broken) }))).rejects.toBe(
      broken
    )
  })

  test("ends when it is told to", async () => {
    const reason = new Error("changed my mind")
    const stop = new AbortController()
    const stopped = form({ signal: stop.signal, solve: () => new Promise(() => stop.abort(reason)) })
    await expect(clientOf(await generateKey()).register(stopped)).rejects.toBe(reason)
  })
})

describe("calls", () => {
  test("read, write and list; refusals say what is wrong", async () => {
    const { hub, handle } = await agent()
    expect((await hub.patch("/me", { body: { description: "new" } })).data.description).toBe("new")
    expect((await hub.get("/agents/:ref", { params: { ref: handle } })).data.description).toBe("new")
    expect(await errorOf(hub.patch("/me", { body: { name: "x".repeat(81) } }))).toMatchObject({
      code: "validation_error",
      status: 422,
      details: { field: "name" },
      requestId: expect.stringMatching(/\S/)
    })
    expect((await hub.get("/docs")).data).toContain("# ")
    expect((await hub.get("/openapi.json")).data["openapi"]).toMatch(/^3\.1/)
    expect((await hub.get("/")).data.api_version).toBe("v1")
    const handles: Array<string> = []
    for await (const listed of hub.pages("/agents", { query: { sort: "oldest" }, perPage: 2 }))
      handles.push(listed.handle)
    expect(handles).toContain(handle)
    expect(new Set(handles).size).toBe(handles.length)
    expect(handles.length).toBeGreaterThan(3)
  })

  test("that write are done once though their answers are lost", async () => {
    const { key, id } = await agent()
    way.lose("PATCH", /\/me$/, 2)
    const answer = await clientOf(key, way.url).patch("/me", { body: { name: "Once" } })
    expect([answer.data.id, answer.data.name, answer.replayed]).toEqual([id, "Once", true])
  })
})

describe("rotation", () => {
  test("puts the new key in place, here and at the service", async () => {
    const { hub, key, id, number } = await agent()
    const next = await generateKey()
    expect(await hub.rotateKey(next)).toEqual({
      id: number,
      hub_id: id,
      old_public_key: key.publicKey,
      new_public_key: next.publicKey,
      rotated_at: expect.any(String)
    })
    expect(hub.key).toBe(next)
    expect((await hub.get("/me")).data).toMatchObject({ id, public_key: next.publicKey })
    expect((await errorOf(clientOf(key).get("/me"))).code).toBe("key_retired")
    expect(await hub.currentKey([key, next])).toBe(next)
    expect(await hub.currentKey([key, await generateKey()])).toBeNull()
  })

  test("is followed by writes of the new key, and by another rotation", async () => {
    const { hub, id } = await agent()
    const [next, third] = [await generateKey(), await generateKey()]
    await hub.rotateKey(next)
    expect((await hub.patch("/me", { body: { name: "Renewed" } })).data).toMatchObject({ id, name: "Renewed" })
    expect(await hub.rotateKey(third)).toMatchObject({
      hub_id: id,
      old_public_key: next.publicKey,
      new_public_key: third.publicKey
    })
    expect((await hub.patch("/me", { body: { name: "Renewed again" } })).data.name).toBe("Renewed again")
  })

  test.each([1, 2, 3])("is known to be done though %d answers were lost", async (lost) => {
    const { key, id, number } = await agent()
    const hub = clientOf(key, way.url)
    const next = await generateKey()
    way.lose("POST", /\/me\/key$/, lost)
    const rotated = await hub.rotateKey(next)
    expect(rotated).toMatchObject({
      id: number,
      hub_id: id,
      old_public_key: key.publicKey,
      new_public_key: next.publicKey
    })
    const record = await hub.get("/id/:number", { params: { number } })
    expect(record.data.keys.find(({ public_key }) => public_key === next.publicKey)?.from).toBe(rotated.rotated_at)
    expect(hub.key).toBe(next)
  })

  test("that is refused leaves the old key in place", async () => {
    const [one, other] = [await agent(), await agent()]
    expect((await errorOf(one.hub.rotateKey(other.key))).code).toBe("key_unavailable")
    expect(one.hub.key).toBe(one.key)
    expect((await one.hub.get("/me")).data.id).toBe(one.id)
  })
})

describe("recovery", () => {
  test("is set, shown, used, cancelled and switched off", async () => {
    const { hub, key, handle, id, number } = await agent()
    const recoveryKey = await generateKey()
    expect((await hub.recovery.get()).recovery_public_key).toBeNull()
    expect((await hub.recovery.set(recoveryKey)).recovery_public_key).toBe(recoveryKey.publicKey)
    const proof = await recoveryKey.sign(await hub.recovery.toSign(recoveryKey.publicKey))
    const publicKey = Buffer.from(recoveryKey.publicKey, "base64").toString("base64url")
    expect((await hub.recovery.set({ publicKey, proof })).recovery_public_key).toBe(recoveryKey.publicKey)
    expect((await errorOf(hub.recovery.set({ publicKey: "AAAA", proof }))).code).toBe("invalid_argument")
    expect((await errorOf(hub.recovery.set({ publicKey: (await generateKey()).publicKey, proof }))).code).toBe(
      "recovery_proof_invalid"
    )
    const stranger = createClient({ hub: edge, retry: QUICK })
    for (const ref of [handle, id, number]) {
      const newKey = await generateKey()
      expect(await stranger.recover({ agent: ref, recoveryKey, newKey })).toMatchObject({
        id: number,
        hub_id: id,
        new_public_key: newKey.publicKey
      })
      expect((await hub.recovery.get()).pending?.new_public_key).toBe(newKey.publicKey)
      expect((await hub.recovery.cancel()).pending).toBeNull()
    }
    expect((await errorOf(hub.recovery.cancel())).code).toBe("recovery_not_pending")
    expect((await hub.recovery.delete()).recovery_public_key).toBeNull()
    expect(
      (
        await errorOf(
          stranger.recover({ agent: id, recoveryKey, newKey: await generateKey(), currentPublicKey: key.publicKey })
        )
      ).code
    ).toBe("recovery_refused")
  })

  test("gives the account to the new key after its delay", async () => {
    const { hub, id } = await agent()
    const [recoveryKey, newKey] = [await generateKey(), await generateKey()]
    await hub.recovery.set(recoveryKey)
    const recovered = clientOf(newKey)
    await recovered.recover({ agent: id, recoveryKey, newKey })
    expect((await errorOf(recovered.get("/me"))).code).toBe("key_unknown")
    expect(await waitFor(async () => (await recovered.get("/me")).data.id)).toBe(id)
    expect((await errorOf(hub.get("/me"))).code).toBe("key_retired")
  })
})

describe("identity", () => {
  test("is attested by the service's own key", async () => {
    const { hub, key, id, number } = await agent()
    const { attestation } = await hub.attest()
    expect(attestation.payload).toMatchObject({ sub: id, hx_id: number, public_key: key.publicKey, status: "active" })
    expect(attestation.server_public_key).toBe((await hub.get("/")).data.server_public_key)
    const [head, payload, signature = ""] = attestation.jws.split(".")
    const serverKey = createPublicKey({
      key: {
        kty: "OKP",
        crv: "Ed25519",
        x: Buffer.from(attestation.server_public_key, "base64").toString("base64url")
      },
      format: "jwk"
    })
    expect(verify(null, Buffer.from(`${head}.${payload}`), serverKey, Buffer.from(signature, "base64url"))).toBe(true)
    await hub.rotateKey(await generateKey())
    expect((await hub.attest()).attestation.payload.public_key).toBe(hub.key?.publicKey)
  })

  test("is proven to a website that asks the service", async () => {
    const { hub, number, handle } = await agent()
    const verdicts: Array<unknown> = []
    const shop = await startPlayer(async (asked, response) => {
      const headers = Object.fromEntries(Object.entries(asked.headers).map(([name, value]) => [name, String(value)]))
      const { data } = await createClient({ hub: edge }).post("/id/verify", {
        body: { method: asked.method, host: shop.host, path: asked.target, headers }
      })
      verdicts.push(data)
      response.end(data.valid ? "welcome" : "who are you?")
    })
    try {
      const response = await hub.fetch(`${shop.url}/cart?item=caf%C3%A9`, { method: "POST", body: "{}" })
      expect(await response.text()).toBe("welcome")
      expect(verdicts).toEqual([expect.objectContaining({ valid: true, reason: null, id: number, handle })])
    } finally {
      await shop.stop()
    }
  })

  test("is announced as the identity record has it", async () => {
    const { hub, number } = await agent()
    const { data: record } = await hub.get("/id/:number", { params: { number } })
    expect((await hub.proof({ url: "https://shop.example/" }))["User-Agent"]).toBe(record.user_agent)
  })
})
