/** What people send under an Idempotency-Key: whose answer it is, and what is kept of a body that holds a password. */
import { createHash } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { AgentClient } from "../support/client.ts"
import { outcome } from "../support/outcome.ts"
import { PersonClient } from "../support/person.ts"
import { foundIn } from "../support/planted.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

let service: TestService

beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service?.stop())

let turn = 0
const edge = (): string => service.edges[turn++ % service.edges.length] ?? ""

const loggedIn = async (): Promise<PersonClient> => {
  const person = new PersonClient({ edge })
  expect(outcome(await person.signUp())).toBe("201")
  expect(outcome(await person.logIn())).toBe("200")
  return person
}

const anAgent = async (): Promise<AgentClient> => {
  const client = new AgentClient({ edge })
  await register(client, { edge: edge() })
  return client
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

test("an agent that signs for two people besides mixes up none of their answers", async () => {
  const [agent, ada, eve] = [await anAgent(), await loggedIn(), await loggedIn()]
  for (const { token } of [ada, eve]) {
    const headers = { authorization: `Bearer ${token}` }
    const out = await agent.call("POST", "/api/v1/humans/logout", { idempotencyKey: "log-out", headers })
    expect([outcome(out), out.headers["idempotent-replayed"]]).toEqual(["200", undefined])
  }
  for (const person of [ada, eve]) expect(outcome(await person.call("GET", "/humans/me"))).toBe("401 session_invalid")
})

test("nothing is kept on which somebody could try passwords: no hash of a body that held one", async () => {
  const [agent, ada] = [await anAgent(), await loggedIn()]
  const { email, password, id } = ada
  const entering = { email, password }
  for (const replayed of [undefined, "true"]) {
    const answer = await agent.call("POST", "/api/v1/humans/login", { body: entering, idempotencyKey: "enter" })
    expect([outcome(answer), answer.headers["idempotent-replayed"]]).toEqual(["200", replayed])
  }
  const other = await agent.call("POST", "/api/v1/humans/login", { body: { email }, idempotencyKey: "enter" })
  expect(outcome(other)).toBe("422 idempotency_conflict")

  const ending = JSON.stringify({ password, confirm: email })
  const ended = await ada.call("DELETE", "/humans/me", JSON.parse(ending), { "idempotency-key": "end" })
  expect(outcome(ended)).toBe("200")
  const name = sha256(`${id}\nDELETE\n/api/v1/humans/me\nend\n${sha256(ada.token)}`)
  const command = sha256(`${name}\n${sha256(ending)}`).slice(0, 32)
  // What must be there is found: so would be what must not.
  expect((await foundIn(service, [name])).length).toBeGreaterThan(0)
  expect(await foundIn(service, [sha256(JSON.stringify(entering)), sha256(ending), command])).toEqual([])
})

test.each([
  ["POST", "/humans/logout", () => undefined, { revoked: true }],
  ["DELETE", "/humans/me", ({ password, email }: PersonClient) => ({ password, confirm: email }), { deleted: true }]
] as const)(
  "%s %s, repeated under its key, hears its first answer; nobody else does",
  async (method, path, of, said) => {
    const [ada, eve] = [await loggedIn(), await loggedIn()]
    const key = { "idempotency-key": "end" }
    const body = of(ada)
    const { token } = ada
    await ada.logIn()
    const other = ada.token
    ada.token = token
    const first = await ada.call(method, path, body, key)
    expect([outcome(first), first.json.data]).toEqual(["200", expect.objectContaining(said)])
    for (const _ of service.edges) {
      const again = await ada.call(method, path, body, key)
      expect([outcome(again), again.headers["idempotent-replayed"], again.text]).toEqual(["200", "true", first.text])
    }
    // Of another body it is a conflict; another key, path or token of hers finds nothing.
    expect(outcome(await ada.call(method, path, { password: "x", confirm: "y" }, key))).toBe("422 idempotency_conflict")
    expect(outcome(await ada.call(method, path, body, { "idempotency-key": "another" }))).toBe("401 session_invalid")
    expect(outcome(await ada.call(method, path, body))).toBe("401 session_invalid")
    expect(outcome(await ada.call("GET", "/humans/me", undefined, key))).toBe("401 session_invalid")
    ada.token = token.slice(0, -1) + (token.endsWith("A") ? "B" : "A")
    expect(outcome(await ada.call(method, path, body, key))).toBe("401 session_invalid")
    ada.token = other
    expect(outcome(await ada.call("GET", "/humans/me"))).toBe(method === "DELETE" ? "401 session_invalid" : "200")
    if (method === "DELETE") expect(outcome(await ada.call(method, path, body, key))).toBe("401 session_invalid")
    expect(outcome(await eve.call("GET", "/humans/me"))).toBe("200")
  }
)
