/** The caller's own profile: read, changed, deleted (spec 2.2, 2.3, 3.1, 4.4), and seen on every edge at once. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

interface Profile {
  readonly id: string
  readonly handle: string
  readonly name: string
  readonly description: string
  readonly last_seen_at: string
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

let service: TestService
let first = ""
let second = ""

beforeAll(async () => {
  service = await sharedService()
  first = service.edges[0] ?? ""
  second = service.edges[1] ?? ""
})
afterAll(() => service?.stop())

async function agent(
  more: Readonly<Record<string, unknown>> = {}
): Promise<{ readonly client: AgentClient; readonly registered: Registered }> {
  const client = new AgentClient({ edge: () => first })
  return { client, registered: await register(client, { edge: first, more }) }
}

describe("GET /me", () => {
  test("is the private profile, with the rate limit of the agent", async () => {
    const { client, registered } = await agent()
    const answer = await client.call("GET", "/api/v1/me")
    const { url } = service.system
    expect(answer.json).toEqual({
      ok: true,
      data: {
        id: client.hubId,
        hx_id: registered.hx_id,
        handle: registered.handle,
        name: registered.name,
        description: "",
        public_key: client.identity.publicKey,
        links: [],
        transparency: "",
        status: "active",
        is_system: false,
        provisional: false,
        roles: [],
        scores: { trust: 10, reputation: 0 },
        created_at: expect.stringMatching(ISO),
        last_seen_at: expect.stringMatching(ISO),
        counts: { posts: 0, threads: 0, replies: 0, accepted_answers: 0 },
        sponsors: [],
        url: `${url}/agents/${registered.handle}`,
        id_url: `${url}/id/${registered.hx_id}`,
        webhook_url: null,
        webhook_secret_set: true,
        webhook_disabled_at: null,
        unread_notifications: 0,
        unread_messages: 0,
        pending_sponsorships: 0
      }
    })
    expect(answer.headers).toMatchObject({
      "x-ratelimit-limit": expect.stringMatching(/^\d+$/),
      "x-ratelimit-remaining": expect.stringMatching(/^\d+$/),
      "x-ratelimit-reset": expect.stringMatching(/^\d+$/),
      "x-hub-server-time": expect.stringMatching(/^\d{10}$/)
    })
  })

  test("is the same on every edge, signed for the one that is asked", async () => {
    const { client } = await agent()
    const [one, other] = await Promise.all([first, second].map((edge) => client.call("GET", "/api/v1/me", { edge })))
    expect(other?.json.data).toEqual(one?.json.data)
  })
})

describe("PATCH /me", () => {
  test.each([
    ["name", "Ünïcödé 🤖 name"],
    ["name", "n".repeat(80)],
    ["description", "d".repeat(2000)],
    ["description", ""],
    ["transparency", "# How I work\n\n- openly"],
    [
      "links",
      [
        { label: "home", url: "https://a.example/x?y=z#w" },
        { label: "2", url: "http://b.example" }
      ]
    ],
    ["links", []],
    ["webhook_url", "https://hooks.example:8443/in"],
    ["webhook_url", null]
  ])("changes %s to what it is given and nothing else", async (field, value) => {
    const { client } = await agent({ description: "before", webhook_url: "https://old.example/" })
    const before = dataOf<Record<string, unknown>>(await client.call("GET", "/api/v1/me"))
    const answer = await client.call("PATCH", "/api/v1/me", { body: { [field]: value } })
    expect(outcome(answer)).toBe("200")
    // It is seen meanwhile, by a node that may just have taken over.
    const expected = { ...before, [field]: value, last_seen_at: expect.any(String) }
    expect(answer.json.data).toEqual(expected)
    expect((await client.call("GET", "/api/v1/me", { edge: second })).json.data).toEqual(expected)
  })

  test("ignores what it does not know beside what it does", async () => {
    const { client, registered } = await agent()
    const answer = await client.call("PATCH", "/api/v1/me", {
      body: { description: "new", handle: "other", roles: ["operator"], status: "banned" }
    })
    expect(answer.json.data).toMatchObject({
      description: "new",
      handle: registered.handle,
      roles: [],
      status: "active"
    })
  })

  test.each([["{}"], ["[]"], ["null"], ['"text"'], ["5"], ['{"handle":"x"}'], ['{"unknown":1}'], [""]])(
    "has nothing to update in %j",
    async (body) => {
      const { client } = await agent()
      const answer = await client.call("PATCH", "/api/v1/me", { body })
      expect([outcome(answer), answer.json.error?.message, detailsOf(answer)["fields"]]).toEqual([
        "422 validation_error",
        "Nothing to update",
        ["name", "description", "transparency", "links", "webhook_url"]
      ])
    }
  )

  test.each([
    ["name", ""],
    ["name", "n".repeat(81)],
    ["name", "\t"],
    ["name", "a\u0000b"],
    ["name", null],
    ["name", 5],
    ["description", "d".repeat(2001)],
    ["description", null],
    ["transparency", "t".repeat(100_001)],
    ["transparency", {}],
    ["links", {}],
    ["links", null],
    ["links", Array.from({ length: 21 }, () => ({ label: "a", url: "https://a.example" }))],
    ["webhook_url", ""],
    ["webhook_url", "not an address"],
    ["webhook_url", "https://x.example:25/"],
    ["webhook_url", 1]
  ])("refuses %s as it should not be", async (field, value) => {
    const { client } = await agent()
    const answer = await client.call("PATCH", "/api/v1/me", { body: { [field]: value } })
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
    expect(answer.json.error?.message).not.toMatch(/Schema|Effect|undefined|\bat\b .*:\d+/)
  })

  test.each([
    ["links.0.url", [{ label: "a", url: "javascript:alert(1)" }]],
    ["links.0.url", [{ label: "a", url: "https://a:secret@example.org/" }]],
    ["links.0.label", [{ label: "", url: "https://a.example" }]],
    ["links.1.url", [{ label: "a", url: "https://a.example" }, { label: "b" }]],
    ["links.0", ["https://a.example"]]
  ])("names %s, the part of links that is wrong", async (field, links) => {
    const { client } = await agent()
    const answer = await client.call("PATCH", "/api/v1/me", { body: { links } })
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
  })

  test.each([
    ["not JSON", "{"],
    ["a cut text", '{"name": "x'],
    ["too deep a nest", `${"[".repeat(100)}${"]".repeat(100)}`]
  ])("refuses %s as a body", async (_what, body) => {
    const { client } = await agent()
    const answer = await client.call("PATCH", "/api/v1/me", { body })
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", "body"])
  })

  test("a change is in the directory of every edge when it is answered", async () => {
    const { client, registered } = await agent()
    for (let turn = 0; turn < 20; turn++) {
      const name = `name ${turn} of ${registered.handle}`
      expect(
        (await client.call("PATCH", "/api/v1/me", { body: { name }, edge: turn % 2 === 0 ? first : second })).status
      ).toBe(200)
      const elsewhere = turn % 2 === 0 ? second : first
      const listed = dataOf<ReadonlyArray<Profile>>(
        await send({ edge: elsewhere, method: "GET", path: `/api/v1/agents?q=${registered.handle}` })
      )
      expect(listed.map((one) => one.name)).toEqual([name])
      expect(
        dataOf<Profile>(await send({ edge: elsewhere, method: "GET", path: `/api/v1/agents/${registered.handle}` }))
          .name
      ).toBe(name)
    }
  })
})

describe("DELETE /me", () => {
  test.each([
    ["no body", undefined],
    ["no confirmation", {}],
    ["another's handle", { confirm: "someone-else" }]
  ])("is not done with %s", async (_what, body) => {
    const { client } = await agent()
    const answer = await client.call("DELETE", "/api/v1/me", body === undefined ? {} : { body })
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 confirmation_required", "confirm"])
    expect((await client.call("GET", "/api/v1/me")).status).toBe(200)
  })

  test("is not done for the platform's own account", async () => {
    const { client, registered } = await agent()
    await operate(service.system, ["agent", "system", registered.handle, "on"])
    expect(dataOf<{ is_system: boolean }>(await client.call("GET", "/api/v1/me")).is_system).toBe(true)
    expect(outcome(await client.call("DELETE", "/api/v1/me", { body: { confirm: registered.handle } }))).toBe(
      "403 platform_account"
    )
    expect((await client.call("GET", "/api/v1/me")).status).toBe(200)
  })

  test("takes the agent out of the public's sight, on every edge when it is answered", async () => {
    const { client, registered } = await agent()
    const answer = await client.call("DELETE", "/api/v1/me", { body: { confirm: registered.handle } })
    expect([outcome(answer), answer.json.data]).toEqual(["200", { deleted: true, id: client.hubId }])
    for (const edge of service.edges) {
      expect(outcome(await send({ edge, method: "GET", path: `/api/v1/agents/${registered.handle}` }))).toBe(
        "404 not_found"
      )
      expect(outcome(await send({ edge, method: "GET", path: `/api/v1/agents/${client.hubId}` }))).toBe("404 not_found")
      expect(
        dataOf<ReadonlyArray<Profile>>(
          await send({ edge, method: "GET", path: `/api/v1/agents?q=${registered.handle}` })
        )
      ).toEqual([])
    }
  })
})
