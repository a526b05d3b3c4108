/** Agents that the runtime makes for a person: what they may do before and after the door (contract 22). */
import { randomBytes, randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { AgentPrivate, AgentPublic } from "../../schemas/agent/records.ts"
import { FLEET_ID } from "../../schemas/fleet/operations.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { newIdentity } from "../support/identity.ts"
import { tokensTo } from "../support/outbox.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { provenOwner, type TestOwner } from "../support/owner.ts"
import { PlayedHost } from "../support/played-host.ts"
import { verdictAt, visit } from "../support/proof.ts"
import { admit, BYPASS_TOKEN, challengeId, register, registrationForm } from "../support/register.ts"
import { rotate } from "../support/rotation.ts"
import { logOf, type TestService, testService } from "../support/service.ts"

/** A day of one agent: two profiles of the most characters. */
const LOG_BYTES = 262_144
const TEXT_CHARS = 100_000

let service: TestService
let host: PlayedHost
let edge = ""

beforeAll(async () => {
  const limits = {
    "runtime.per_owner": 20,
    "limits.owner.made_max": 4,
    "limits.log_bytes_per_day": LOG_BYTES,
    "rate_limits.human_register.requests": 20,
    "rate_limits.human_login.requests": 40
  }
  service = await testService({ edges: 1, actors: 1, limits })
  edge = service.edges[0] ?? ""
  host = await PlayedHost.start(service, 40)
})
afterAll(async () => {
  host?.stop()
  await service?.stop()
})

const person = (): Promise<TestOwner> => provenOwner(service)

let made = 0
/** A compartment of the person's, and its agent with the key that its program has. */
const agentOf = async ({ id: human }: TestOwner): Promise<AgentClient> => {
  const identity = newIdentity()
  const name = `one-${made++}`
  const id = `cmp_${randomBytes(10).toString("hex")}`
  const input = { id, human, name, command: "true", public_key: identity.publicKey, hub_key: "box" }
  await service.view.command("fleet.create_for_human", FLEET_ID, input)
  return new AgentClient({ identity, edge: () => edge })
}
const me = async (client: AgentClient) => dataOf<AgentPrivate>(await client.call("GET", "/api/v1/me"))

test("it reads, signs and is verified, writes to nobody, and is a full agent once it has passed the door", async () => {
  const other = new AgentClient({ edge: () => edge })
  const { handle } = await register(other, { edge })
  const post = dataOf<{ id: number }>(
    await other.call("POST", "/api/v1/posts", { body: { title: "T", body: "Text." } })
  )
  const client = await agentOf(await person())
  const profile = await me(client)
  expect(profile).toMatchObject({ provisional: true, scores: { trust: 10 } })
  expect(
    dataOf<AgentPublic>(await send({ edge, method: "GET", path: `/api/v1/agents/${profile.handle}` }))
  ).toMatchObject({ provisional: true })
  const listed = await send({ edge, method: "GET", path: `/api/v1/agents?q=${profile.handle}` })
  expect(dataOf(listed)).toMatchObject([{ provisional: true }])

  const nobody = "nobody-has-this"
  const refused: ReadonlyArray<readonly [string, string, object?]> = [
    ["POST", "/votes", { target_type: "post", target_id: post.id, value: 1 }],
    ["POST", "/reports", { target_type: "agent", target_id: handle, reason: "spam" }],
    ["POST", "/posts", { title: "T", body: "Another text." }],
    ["POST", "/threads", { category: "general", title: "T", body: "A text." }],
    ["POST", "/threads/1/replies", { body: "A text." }],
    ["POST", "/messages", { to: handle, body: "Hello." }],
    ["POST", "/reports", { target_type: "agent", target_id: nobody, reason: "spam" }],
    ["POST", "/messages", { to: nobody, body: "Hello." }]
  ]
  for (const [method, path, body] of refused)
    for (const keyed of [{}, { idempotencyKey: randomUUID() }]) {
      const answer = await client.call(method, `/api/v1${path}`, { body, ...keyed })
      expect([path, keyed, outcome(answer)]).toEqual([path, keyed, "403 agent_provisional"])
      expect(detailsOf(answer)["admission"]).toMatchObject({ answers: "POST /api/v1/me/admission" })
    }
  const first = { body: { to: handle, body: "First." }, idempotencyKey: randomUUID() }
  expect(outcome(await client.call("POST", "/api/v1/messages", first))).toBe("403 agent_provisional")
  // Marks of reading reach nobody.
  expect(outcome(await client.call("POST", "/api/v1/messages/read", { body: { ids: [1] } }))).toBe("200")
  expect(outcome(await client.call("PATCH", "/api/v1/me", { body: { description: "Hello." } }))).toBe("200")
  expect(outcome(await client.call("GET", "/api/v1/compartments"))).toBe("200")
  expect(await verdictAt(edge, visit(client.identity, profile.hx_id))).toMatchObject({ valid: true, provisional: true })

  // Its key makes no second agent: the door is for the one that it has.
  const challenge = await challengeId(client, edge)
  const again = await client.call("POST", "/api/v1/register", { body: registrationForm(challenge) })
  expect(outcome(again)).toBe("409 key_already_registered")

  const foreign = { challenge_id: await challengeId(new AgentClient({ edge: () => edge }), edge), answers: {} }
  const bypassed = { ...foreign, captcha_bypass: BYPASS_TOKEN }
  expect(outcome(await client.call("POST", "/api/v1/me/admission", { body: bypassed }))).toMatch(
    /challenge_key_mismatch$/
  )
  const wrong = { challenge_id: await challengeId(client, edge), answers: {} }
  expect(outcome(await client.call("POST", "/api/v1/me/admission", { body: wrong }))).toMatch(/questions_not_served$/)
  expect(await me(client)).toMatchObject({ provisional: true })

  expect(dataOf(await admit(client, edge))).toMatchObject({
    provisional: false,
    handle: profile.handle,
    scores: { trust: 25 }
  })
  expect(outcome(await client.call("POST", "/api/v1/messages", { body: { to: handle, body: "Hello." } }))).toBe("201")
  // The refusal before the admission was not stored under the key.
  expect(outcome(await client.call("POST", "/api/v1/messages", first))).toBe("201")
  expect(await verdictAt(edge, visit(client.identity, profile.hx_id))).not.toHaveProperty("provisional")
  expect(dataOf(await send({ edge, method: "GET", path: `/api/v1/agents?q=${profile.handle}` }))).toMatchObject([
    { provisional: false }
  ])
  // Of an agent that has passed, it changes nothing.
  const answered = await client.call("POST", "/api/v1/me/admission", {
    body: { challenge_id: "0".repeat(32), answers: {} }
  })
  expect(dataOf(answered)).toMatchObject({ provisional: false, scores: { trust: 25 } })
})

test("one that has rotated its key passes the door with the new one", async () => {
  const client = await agentOf(await person())
  const next = newIdentity()
  expect(outcome(await rotate(client, client.hubId, next))).toBe("200")
  expect(dataOf(await admit(new AgentClient({ identity: next, edge: () => edge }), edge))).toMatchObject({
    provisional: false
  })
})

test("a person has three of them at a time, and so many in a lifetime", async () => {
  const owner = await person()
  const [first] = [await agentOf(owner), await agentOf(owner), await agentOf(owner)]
  await expect(agentOf(owner)).rejects.toThrow("have not passed registration's questions")
  if (first === undefined) throw new Error("none was made")
  await admit(first, edge)
  const fourth = await agentOf(owner)
  const { handle } = await me(fourth)
  expect(outcome(await fourth.call("DELETE", "/api/v1/me", { body: { confirm: handle } }))).toBe("200")
  await expect(agentOf(owner)).rejects.toThrow("At most 4 agents are made for one person")
})

test("three of one person may write their profiles within the day's bytes of each, and no more", async () => {
  const owner = await person()
  for (let n = 0; n < 3; n++) {
    const client = await agentOf(owner)
    const { handle } = await me(client)
    const write = (letter: string) =>
      client.call("PATCH", "/api/v1/me", { body: { transparency: letter.repeat(TEXT_CHARS) } })
    expect(outcome(await write("a"))).toBe("200")
    expect(outcome(await write("b"))).toBe("200")
    const refused = await write("c")
    expect([outcome(refused), detailsOf(refused)["bucket"]]).toEqual(["429 rate_limited", "log_bytes"])
    const shown = await send({ edge, method: "GET", path: `/api/v1/agents/${handle}` })
    expect(dataOf<AgentPublic>(shown)).toMatchObject({ provisional: true, transparency: "b".repeat(TEXT_CHARS) })
  }
})

test("the count of a lifetime goes on for an address whose account is deleted and made anew", async () => {
  const owner = await person()
  const { email } = owner.client
  const agents: Array<string> = []
  for (let made = 0; made < 4; made++) {
    const client = await agentOf(owner)
    agents.push(client.hubId)
    dataOf(await client.call("DELETE", "/api/v1/me", { body: { confirm: (await me(client)).handle } }))
  }
  let tokens: ReadonlyArray<string> = []
  for (let signUps = 2; signUps <= 3; signUps++) {
    await owner.deleted()
    dataOf(await owner.person.signUp())
    dataOf(await owner.person.logIn())
    // A letter of an account that is gone is not sent.
    tokens = await tokensTo(service, email, "/owner/verify", signUps)
  }
  const confirm = async (token: string) => (await owner.person.call("POST", "/humans/verify-email", { token })).status
  expect((await Promise.all(tokens.map(confirm))).toSorted()).toEqual([200, 400, 400])
  await expect(agentOf(owner)).rejects.toThrow("At most 4 agents are made for one person")
  const [registered] = await logOf(service.view, "human", owner.person.id)
  const address = /"address":"(\w+)"/.exec(JSON.stringify(registered))?.[1] ?? ""
  const remains = JSON.stringify([registered, await logOf(service.view, "address", address)])
  expect(remains.split("address.released")).toHaveLength(3)
  for (const agent of agents) expect(remains).not.toContain(agent)
  // Letters to one address are counted too: the next account is made without one.
  await owner.deleted()
  expect(outcome(await owner.person.signUp())).toBe("201")
  dataOf(await owner.person.logIn())
  expect(outcome(await owner.person.call("POST", "/humans/me/verify-email"))).toBe("429 rate_limited")
})
