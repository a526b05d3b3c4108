/**
 * The client and the service itself: registration, keys, recovery, attestation, proofs; with answers that are lost on
 * the way.
 */
import { createPublicKey, verify } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createClient, generateKey } from "../../edge/sdk/client.ts"
import { waitFor } from "../harness/index.ts"
import { startPlayer } from "./support/player.ts"
import { QUICK, edge, way, openLossy, closeLossy, clientOf, agent } from "./support/lossy-service.ts"
import { errorOf } from "./support/errors.ts"
import { registrationTests } from "./support/client-registration.ts"

beforeAll(openLossy)
afterAll(closeLossy)

describe("registration", registrationTests)

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

  test("send files and read them, as the bytes that they are", async () => {
    const { hub } = await agent()
    const { id } = (await hub.post("/posts", { body: { title: "One", body: "Text", data: [1, "two"] } })).data
    const body = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251)
    const put = await hub.put("/posts/:id/file", {
      params: { id },
      query: { filename: "a b.csv" },
      body,
      contentType: "text/csv"
    })
    expect(put.data.file).toMatchObject({ filename: "a b.csv", content_type: "text/csv", size: body.length })
    expect((await hub.get("/posts/:id/file", { params: { id } })).data).toEqual(body)
    expect((await hub.get("/posts/:id/data", { params: { id } })).data).toEqual([1, "two"])
    expect((await hub.delete("/posts/:id/file", { params: { id } })).data.file).toBeNull()
    expect(await errorOf(hub.get("/posts/:id/file", { params: { id } }))).toMatchObject({ code: "file_missing" })
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
