/** The identity directory, identity records and key directories (spec 2.4, 2.5, 4.7). */
import { calculateJwkThumbprint } from "jose"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { DirectoryEntry, IdentityRecord } from "../../../schemas/identity/records.ts"
import { waitFor } from "../../harness/index.ts"
import { type Answer, send } from "../../support/http.ts"
import { operate } from "../../support/hub.ts"
import { newIdentity } from "../../support/identity.ts"
import { dataOf, detailsOf, outcome } from "../../support/outcome.ts"
import { rotate } from "../../support/rotation.ts"
import { testService } from "../../support/service.ts"
import { service, edge, other, openShared, closeShared, subject } from "./shared.ts"

interface Directory {
  readonly generated_at: string
  readonly max_number: number
  readonly count: number
  readonly agents: Readonly<Record<string, DirectoryEntry>>
}

beforeAll(() => openShared({ processes: true }))
afterAll(closeShared)

const get = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  at = edge,
  method = "GET"
): Promise<Answer> => send({ edge: at, method, path, headers })

const directory = (headers = {}, at = edge): Promise<Answer> => get("/api/v1/id/directory", headers, at)

describe("the directory", () => {
  test("lists every identity of every standing, with keys as they are", async () => {
    const [active, rotated, suspended, banned, deleted] = [
      await subject(),
      await subject(),
      await subject(),
      await subject(),
      await subject()
    ]
    const next = newIdentity()
    await rotate(rotated.client, rotated.agent.id, next)
    await operate(service.system, ["agent", "suspend", suspended.agent.handle])
    await operate(service.system, ["agent", "ban", banned.agent.handle])
    await deleted.client.call("DELETE", "/api/v1/me", { body: { confirm: deleted.agent.handle } })
    const answer = await directory({}, other)
    expect(answer.headers).toMatchObject({
      "cache-control": "public, max-age=300",
      etag: expect.stringMatching(/^"[^"]+"$/),
      "content-type": "application/json; charset=utf-8"
    })
    const found = dataOf<Directory>(answer)
    expect(found.count).toBe(Object.keys(found.agents).length)
    expect(found.max_number).toBe(Math.max(...Object.keys(found.agents).map((number) => Number(number.slice(3)))))
    expect(Math.abs(Date.parse(found.generated_at) - Date.now())).toBeLessThan(60_000)
    expect(found.agents[active.agent.hx_id]).toEqual({
      id: active.agent.hx_id,
      handle: active.agent.handle,
      status: "active",
      moderation: null,
      public_key: active.client.identity.publicKey,
      public_key_jwk: expect.objectContaining({ kty: "OKP", crv: "Ed25519", alg: "EdDSA", use: "sig" }),
      keys: [{ public_key: active.client.identity.publicKey, status: "current", from: active.agent.created_at }],
      trust: 10,
      reputation: 0,
      profile_url: `${edge}/agents/${active.agent.handle}`,
      id_url: `${edge}/id/${active.agent.hx_id}`
    })
    expect(found.agents[rotated.agent.hx_id]).toMatchObject({
      public_key: next.publicKey,
      keys: [
        { public_key: rotated.client.identity.publicKey, status: "retired" },
        { public_key: next.publicKey, status: "current" }
      ]
    })
    expect(found.agents[suspended.agent.hx_id]).toMatchObject({
      status: "flagged",
      moderation: "suspended",
      public_key: expect.any(String),
      trust: 0
    })
    expect(found.agents[banned.agent.hx_id]).toMatchObject({
      status: "flagged",
      moderation: "banned",
      profile_url: null
    })
    expect(found.agents[deleted.agent.hx_id]).toMatchObject({
      status: "retired",
      moderation: null,
      public_key: null,
      public_key_jwk: null,
      keys: [],
      profile_url: null
    })
  })

  test("says what each agent's own record says", async () => {
    const found = dataOf<Directory>(await directory())
    for (const [number, entry] of Object.entries(found.agents)) {
      const record = dataOf<IdentityRecord>(await get(`/api/v1/id/${number}`, {}, other))
      expect({ ...entry, keys: entry.keys.length }).toEqual(
        expect.objectContaining({
          id: record.id,
          handle: record.handle,
          status: record.status,
          moderation: record.moderation,
          public_key: record.public_key,
          public_key_jwk: record.public_key_jwk,
          trust: record.trust,
          reputation: record.reputation,
          profile_url: record.profile_url,
          id_url: record.id_url,
          keys: record.keys.length
        })
      )
      expect(record.keys.map(({ proof: _proof, ...key }) => key)).toEqual(entry.keys)
    }
  })

  test("keeps its ETag on every edge until something in it changes", async () => {
    const { client, agent } = await subject()
    const tag = (await directory()).headers.etag ?? ""
    for (const at of [edge, other]) {
      const again = await directory({ "if-none-match": tag }, at)
      expect([again.status, again.text, again.headers.etag]).toEqual([304, "", tag])
    }
    expect((await directory({ "if-none-match": `W/"x", ${tag}` })).status).toBe(304)
    await client.call("PATCH", "/api/v1/me", { body: { description: "This is not in the directory." } })
    expect((await directory({ "if-none-match": tag })).status).toBe(304)
    const next = newIdentity()
    await rotate(client, agent.id, next)
    const changed = await directory({ "if-none-match": tag }, other)
    expect(changed.status).toBe(200)
    expect(dataOf<Directory>(changed).agents[agent.hx_id]?.public_key).toBe(next.publicKey)
    await subject()
    expect((await directory({ "if-none-match": changed.headers.etag ?? "" })).status).toBe(200)
  })

  describe("since an ETag", () => {
    interface Changes extends Directory {
      readonly since?: string
      readonly more?: boolean
    }
    const since = (tag: string, at = edge, headers = {}): Promise<Answer> =>
      get(`/api/v1/id/directory?since=${encodeURIComponent(tag)}`, headers, at)
    const entriesIn = (answer: Answer): ReadonlyArray<string> => Object.keys(dataOf<Changes>(answer).agents).toSorted()

    test("has what was added, changed and retired, as the whole has it, and nothing else", async () => {
      const [rotated, suspended, deleted, same] = [await subject(), await subject(), await subject(), await subject()]
      const tag = (await directory()).headers.etag ?? ""
      await rotate(rotated.client, rotated.agent.id, newIdentity())
      await operate(service.system, ["agent", "suspend", suspended.agent.handle])
      await deleted.client.call("DELETE", "/api/v1/me", { body: { confirm: deleted.agent.handle } })
      await same.client.call("PATCH", "/api/v1/me", { body: { description: "This is not in the directory." } })
      const added = await subject()
      for (const at of [edge, other]) {
        const answer = await since(tag, at)
        const whole = await directory({}, at)
        const [found, all] = [dataOf<Changes>(answer), dataOf<Directory>(whole)]
        expect(entriesIn(answer)).toEqual(
          [rotated, suspended, deleted, added].map(({ agent }) => agent.hx_id).toSorted()
        )
        for (const [number, entry] of Object.entries(found.agents)) expect(entry).toEqual(all.agents[number])
        expect(found.agents[deleted.agent.hx_id]).toMatchObject({ status: "retired", keys: [] })
        expect([found.since, found.more]).toEqual([tag.slice(1, -1), false])
        expect([found.count, found.max_number, answer.headers.etag]).toEqual([
          all.count,
          all.max_number,
          whole.headers.etag
        ])
      }
    })

    test("has nothing where nothing changed, and 304 for whoever says what it has", async () => {
      const tag = (await directory()).headers.etag ?? ""
      for (const form of [tag, tag.slice(1, -1), `W/${tag}`]) {
        const answer = await since(form)
        expect([answer.status, answer.headers.etag, entriesIn(answer)]).toEqual([200, tag, []])
        expect((await since(form, edge, { "if-none-match": tag })).status).toBe(304)
      }
    })

    test("leads from any earlier state to the present one", async () => {
      let held = dataOf<Directory>(await directory())
      let tag = (await directory()).headers.etag ?? ""
      for (let round = 0; round < 3; round++) {
        const { client, agent } = await subject()
        if (round > 0) await rotate(client, agent.id, newIdentity())
        const answer = await since(tag, round % 2 === 0 ? edge : other)
        const { agents, count, max_number } = dataOf<Changes>(answer)
        held = { ...held, agents: { ...held.agents, ...agents }, count, max_number }
        tag = answer.headers.etag ?? ""
        const { generated_at: _at, ...whole } = dataOf<Directory>(await directory())
        expect({ ...held, generated_at: undefined }).toEqual({ ...whole, generated_at: undefined })
        expect(Object.keys(held.agents)).toHaveLength(count)
      }
    })

    test("that nobody has given is answered by the whole directory; what is no ETag, by its field", async () => {
      const whole = dataOf<Changes>(await since("zzzzzzzzz-1"))
      expect([whole.since, whole.more]).toEqual([undefined, undefined])
      expect(Object.keys(whole.agents)).toHaveLength(whole.count)
      for (const wrong of ["", "yesterday", "1", "a-b-c", "ABC-1", `"${"a".repeat(300)}-1"`]) {
        const refused = await since(wrong)
        expect(outcome(refused)).toBe("422 validation_error")
        expect(JSON.stringify(refused.json)).toContain("since")
      }
    })

    test("answers HEAD with the same headers and no body", async () => {
      const tag = (await directory()).headers.etag ?? ""
      const head = await get(`/api/v1/id/directory?since=${encodeURIComponent(tag)}`, {}, edge, "HEAD")
      expect([head.status, head.text, head.headers.etag]).toEqual([200, "", tag])
    })
  })

  test("is compressed for who takes gzip, whole or what changed, with the same bytes", async () => {
    const tag = (await directory()).headers.etag ?? ""
    await subject()
    const read = async (path: string, encoding: string): Promise<readonly [string | null, unknown]> => {
      const answer = await fetch(`${edge}${path}`, { headers: { "accept-encoding": encoding } })
      expect(answer.headers.get("vary")).toBe("Accept-Encoding")
      const { data } = (await answer.json()) as { data: Directory }
      return [answer.headers.get("content-encoding"), { ...data, generated_at: null }]
    }
    for (const path of ["/api/v1/id/directory", `/api/v1/id/directory?since=${encodeURIComponent(tag)}`]) {
      const [none, plain] = await read(path, "identity")
      // Once compressed for it, then as it was kept.
      for (let again = 0; again < 2; again++) expect(await read(path, "gzip, br")).toEqual(["gzip", plain])
      expect(none).toBe(null)
      expect(await read(path, "gzip;q=0, identity")).toEqual([null, plain])
    }
  })

  test("answers HEAD with the same headers and no body", async () => {
    const head = await get("/api/v1/id/directory", {}, edge, "HEAD")
    expect([head.status, head.text, head.headers.etag]).toEqual([200, "", (await directory()).headers.etag])
  })

  test("holds no reader's place for an answer that was never sent", async () => {
    const { client } = await subject()
    const signed = client.signed("GET", "/api/v1/id/directory")
    expect((await send(signed)).status).toBe(200)
    // More often than one client may read at once.
    for (let again = 0; again < 6; again++) expect(outcome(await send(signed))).toBe("401 auth_nonce_reused")
    expect((await directory()).status).toBe(200)
  })

  test("is not taken for whole when the read models cannot give the rest", async () => {
    await subject()
    await service.system.postgres.kill()
    expect(outcome(await directory())).toBe("503 unavailable")
    await service.system.postgres.restart()
    await waitFor(async () => (await directory()).status === 200, { describe: "the directory after Postgres is back" })
  })
})

describe("an identity record", () => {
  test("holds all of 2.4, in both places", async () => {
    const { client, agent } = await subject()
    const record = dataOf<IdentityRecord>(await get(`/api/v1/id/${agent.hx_id}`))
    expect(record).toMatchObject({
      id: agent.hx_id,
      hub_id: agent.id,
      handle: agent.handle,
      name: agent.name,
      status: "active",
      moderation: null,
      public_key: client.identity.publicKey,
      created_at: agent.created_at,
      profile_url: `${edge}/agents/${agent.handle}`,
      api_url: `${edge}/api/v1/agents/${agent.id}`,
      id_url: `${edge}/id/${agent.hx_id}`,
      user_agent: `HubAgent/v1 (${agent.hx_id}; +${edge}/id/${agent.hx_id})`
    })
    expect(record.verify.failure_reasons).toHaveLength(14)
    expect(record.public_key_jwk?.kid).toBe(
      await calculateJwkThumbprint({ kty: "OKP", crv: "Ed25519", x: record.public_key_jwk?.x ?? "" })
    )
    expect(dataOf(await get(`/id/${agent.hx_id}`, {}, other))).toEqual(record)
  })

  test("sends a browser to the profile page, and tells everybody else in JSON; banned and retired ones have no page", async () => {
    const { client, agent } = await subject()
    const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
    for (const path of [`/id/${agent.hx_id}`, `/api/v1/id/${agent.hx_id}`]) {
      const answer = await get(path, browser)
      expect([answer.status, answer.headers.location, answer.headers.vary]).toEqual([
        302,
        `${edge}/agents/${agent.handle}`,
        "Accept"
      ])
      expect((await get(path, { accept: "*/*" })).status).toBe(200)
    }
    await client.call("DELETE", "/api/v1/me", { body: { confirm: agent.handle } })
    expect(dataOf(await get(`/id/${agent.hx_id}`, browser))).toMatchObject({
      status: "retired",
      public_key: null,
      name: "Deleted agent"
    })
  })

  test.each(["HX-999999", "hx-000001", "HX-1", "HX-0000001", "HX-", "%00", "directory2"])(
    "%s is nobody's",
    async (number) => {
      expect(outcome(await get(`/api/v1/id/${number}`))).toBe("404 not_found")
      expect(outcome(await get(`/id/${number}`))).toBe("404 not_found")
    }
  )
})

describe("key directories", () => {
  const TYPE = "application/http-message-signatures-directory+json"
  const of = (number: string): string => `/api/v1/id/${number}/http-message-signatures-directory`

  test("an agent's holds its current key while it is active, and nothing else", async () => {
    const { client, agent } = await subject()
    const answer = await get(of(agent.hx_id), { accept: "text/html" })
    expect(answer.status).toBe(200)
    expect(answer.headers["content-type"]).toBe(TYPE)
    const record = dataOf<IdentityRecord>(await get(`/api/v1/id/${agent.hx_id}`))
    expect(JSON.parse(answer.text)).toEqual({ keys: [record.public_key_jwk] })
    await rotate(client, agent.id, newIdentity())
    const rotated = dataOf<IdentityRecord>(await get(`/api/v1/id/${agent.hx_id}`))
    expect(JSON.parse((await get(of(agent.hx_id), {}, other)).text)).toEqual({ keys: [rotated.public_key_jwk] })
    await operate(service.system, ["agent", "suspend", agent.handle])
    expect(JSON.parse((await get(of(agent.hx_id))).text)).toEqual({ keys: [] })
    expect(outcome(await get(of("HX-999999")))).toBe("404 not_found")
  })

  test("the service's own is at its well-known place", async () => {
    const answer = await get("/.well-known/http-message-signatures-directory")
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, TYPE])
    const { server_public_key } = dataOf<{ server_public_key: string }>(await get("/api/v1"))
    const { keys } = JSON.parse(answer.text) as { keys: ReadonlyArray<{ x: string }> }
    expect(keys.map((key) => Buffer.from(key.x, "base64url").toString("base64"))).toEqual([server_public_key])
  })
})

describe("limits", () => {
  test("30 whole directories; a 304 is free of that and of the limit of the unsigned", async () => {
    const small = await testService({
      limits: {
        "rate_limits.id_directory.requests": 3,
        "rate_limits.anon.requests": 10,
        "rate_limits.id_verify.requests": 5
      }
    })
    try {
      const at = small.edges[0] ?? ""
      const tag = (await directory({}, at)).headers.etag ?? ""
      for (let read = 0; read < 12; read++) expect((await directory({ "if-none-match": tag }, at)).status).toBe(304)
      expect([(await directory({}, at)).status, (await directory({}, at)).status]).toEqual([200, 200])
      const refused = await directory({}, at)
      expect(outcome(refused)).toBe("429 rate_limited")
      expect(detailsOf(refused)).toMatchObject({ bucket: "id_directory", limit: 3, window_seconds: 300 })
      expect((await directory({ "if-none-match": tag }, at)).status).toBe(304)
      const verify = () =>
        send({
          edge: at,
          method: "POST",
          path: "/api/v1/id/verify",
          body: JSON.stringify({ method: "GET", host: "a.example", path: "/", headers: {} })
        })
      for (let call = 0; call < 5; call++) expect((await verify()).status).toBe(200)
      expect(detailsOf(await verify())).toMatchObject({ bucket: "id_verify" })
      // None of all that was drawn from the bucket of the unsigned.
      for (let call = 0; call < 4; call++) expect((await get("/api/v1/time", {}, at)).status).toBe(200)
    } finally {
      await small.stop()
    }
  })
})
