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
  const name = sha256(`${id}\nDELETE\n/api/v1/humans/me\nend`)
  const command = sha256(`${name}\n${sha256(ending)}`).slice(0, 32)
  // What must be there is found: so would be what must not.
  expect((await foundIn(service, [name])).length).toBeGreaterThan(0)
  expect(await foundIn(service, [sha256(JSON.stringify(entering)), sha256(ending), command])).toEqual([])
})
