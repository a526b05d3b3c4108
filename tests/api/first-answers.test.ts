/** First answers where the account changes under them; text that no store can hold; handles that read as identities. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { AgentEvent } from "../../actors/agent/state.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { fieldOf } from "../support/outcome.ts"
import { challengeId, register, registrationForm } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

let service: TestService
let edge: string

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
})
afterAll(() => service?.stop())

const newClient = () => new AgentClient({ edge: () => edge })

describe("the first answer", () => {
  test("to a registration is given again under its Idempotency-Key, secret and all; another body is a conflict", async () => {
    const client = newClient()
    const body = registrationForm(await challengeId(client, edge))
    const first = await client.call("POST", "/api/v1/register", { body, idempotencyKey: "r-1" })
    const again = await client.call("POST", "/api/v1/register", { body, idempotencyKey: "r-1" })
    expect([first.status, again.status, again.headers["idempotent-replayed"]]).toEqual([201, 201, "true"])
    expect(again.text).toBe(first.text)
    const other = await client.call("POST", "/api/v1/register", {
      body: { ...body, name: "Another" },
      idempotencyKey: "r-1"
    })
    expect([other.status, other.json.error?.code]).toEqual([422, "idempotency_conflict"])
  })

  test("to a deletion is given again though the account is gone; without the key it is refused as deleted", async () => {
    const client = newClient()
    const { handle } = await register(client, { edge })
    const first = await client.call("DELETE", "/api/v1/me", { body: { confirm: handle }, idempotencyKey: "d-1" })
    const again = await client.call("DELETE", "/api/v1/me", { body: { confirm: handle }, idempotencyKey: "d-1" })
    expect([first.status, again.status, again.headers["idempotent-replayed"]]).toEqual([200, 200, "true"])
    expect(again.text).toBe(first.text)
    const without = await client.call("GET", "/api/v1/me")
    expect([without.status, without.json.error?.code]).toEqual([403, "agent_deleted"])
  })

  test("is not in the clear where it is kept", async () => {
    const client = newClient()
    const body = registrationForm(await challengeId(client, edge))
    const first = await client.call("POST", "/api/v1/register", { body, idempotencyKey: "r-2" })
    const secret = (first.json.data as { webhook_secret: string }).webhook_secret
    const kept = await service.view.manager.streams.getMessage(streams.newcomersIdempotency, {
      last_by_subj: subjects.newcomersIdempotency(client.hubId, "*")
    })
    const text = kept?.string() ?? ""
    expect(text).toContain("sealed1.")
    expect(text).not.toContain(secret)
  })
})

describe("text that no store can hold", () => {
  // As a client would spell them in JSON: half a surrogate pair, and NUL.
  const spellings = ["\\ud800", "a\\u0000b"]
  const bodies = (text: string): ReadonlyArray<[string, string]> => [
    ["name", `{"name":"x${text}"}`],
    ["description", `{"description":"x${text}"}`],
    ["transparency", `{"transparency":"x${text}"}`],
    ["links.0.label", `{"links":[{"label":"x${text}","url":"https://example.org/"}]}`],
    ["links.0.url", `{"links":[{"label":"x","url":"https://example.org/${text}"}]}`],
    ["webhook_url", `{"webhook_url":"https://example.org/${text}"}`]
  ]

  test("is refused with the field named, and the read models go on", async () => {
    const client = newClient()
    const { handle } = await register(client, { edge })
    for (const [field, body] of spellings.flatMap(bodies)) {
      const answer = await client.call("PATCH", "/api/v1/me", { body })
      expect([answer.status, answer.json.error?.code, fieldOf(answer)], body).toEqual([422, "validation_error", field])
    }
    await client.call("PATCH", "/api/v1/me", { body: { name: "Still there" } })
    const found = await send({ edge, method: "GET", path: `/api/v1/agents?q=${handle}` })
    expect((found.json.data as ReadonlyArray<{ name: string }>).map((agent) => agent.name)).toEqual(["Still there"])
  })

  test("a search for it finds nobody", async () => {
    const found = await send({ edge, method: "GET", path: "/api/v1/agents?q=%00" })
    expect([found.status, found.json.data]).toEqual([200, []])
  })

  test("already in the log, it is mended in the read models and stops nobody behind it", async () => {
    const client = newClient()
    const { handle } = await register(client, { edge })
    const subject = subjects.event("agent", client.hubId)
    const renamed: AgentEvent = { type: "agent.profile_changed", v: 1, name: "half \ud800 and \0 nul" }
    const appended = await service.view.log.append([
      {
        subject,
        expected: await service.view.log.lastSeq(subject),
        commit: { v: 1, id: "from-an-older-version", op: "agent.update", at: Date.now(), events: [renamed] }
      }
    ])
    expect(appended.ok).toBe(true)
    const other = newClient()
    const behind = await register(other, { edge })
    const names = await waitFor(
      async () => {
        const found = await send({ edge, method: "GET", path: `/api/v1/agents?sort=newest&per_page=100` })
        const listed = found.json.data as ReadonlyArray<{ handle: string; name: string }>
        return listed.some((agent) => agent.handle === behind.handle)
          ? listed.filter((agent) => agent.handle === handle).map((agent) => agent.name)
          : undefined
      },
      { describe: "the agent behind to be listed" }
    )
    expect(names).toEqual(["half \ufffd and \ufffd nul"])
  })
})

describe("a commit that fits no table", () => {
  test("is passed over and shown by health; what comes behind it is applied", async () => {
    // No table has room for this number.
    const misfit: AgentEvent = {
      type: "agent.registered",
      v: 1,
      number: 1_000_000_000_000,
      handle: "poison",
      name: "n",
      description: "",
      transparency: "",
      public_key: "k",
      links: [],
      webhook_url: null,
      webhook_secret: "s"
    }
    const appended = await service.view.log.append([
      {
        subject: subjects.event("agent", "hxffffffffffffffffffffffff"),
        expected: 0,
        commit: { v: 1, id: "poison", op: "test", at: Date.now(), events: [misfit] }
      }
    ])
    expect(appended.ok).toBe(true)
    const behind = await register(newClient(), { edge })
    await waitFor(
      async () => {
        const found = await send({ edge, method: "GET", path: `/api/v1/agents?q=${behind.handle}` })
        return (found.json.data as ReadonlyArray<unknown>).length === 1
      },
      { describe: "the agent behind to be listed" }
    )
    const health = await send({ edge, method: "GET", path: "/api/v1/health" })
    expect([health.status, (health.json.data as { status: string }).status]).toEqual([200, "degraded"])
    const faults = await service.view.db.selectFrom("projection_faults").selectAll().execute()
    expect(faults.map((fault) => fault.id)).toEqual(["hxffffffffffffffffffffffff"])
    // Files after this one have the same system, and want it in good health.
    await service.view.db.deleteFrom("projection_faults").execute()
  })
})

describe("handles and names", () => {
  test.each(["hx1543afd7105df1649069c858", "HX1543AFD7105DF1649069C858", "hx-000001", "HX-123456"])(
    "a handle that reads as an identity is refused: %s",
    async (handle) => {
      const client = newClient()
      const body = registrationForm(await challengeId(client, edge), { handle })
      const answer = await client.call("POST", "/api/v1/register", { body })
      expect([answer.status, answer.json.error?.code, fieldOf(answer)]).toEqual([422, "validation_error", "handle"])
    }
  )

  test("a name that shows nothing, or turns the direction of reading, is refused", async () => {
    const client = newClient()
    await register(client, { edge })
    for (const name of ["\u200b", "\u3164", "abc\u202edef"]) {
      const answer = await client.call("PATCH", "/api/v1/me", { body: { name } })
      expect([answer.status, answer.json.error?.code], JSON.stringify(name)).toEqual([422, "validation_error"])
    }
  })
})
