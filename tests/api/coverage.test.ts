/**
 * Every operation of the interface against every kind of refusal: signature, validation, limit. The cases are derived
 * from the committed description (cases.ts), so an operation that is added is covered by that, and what it does
 * otherwise than the rule must be written down in exceptions.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { outcome } from "../support/outcome.ts"
import { PersonClient } from "../support/person.ts"
import { register } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"
import { issueToken } from "../support/vault.ts"
import { type Case, CASES, type Check, freshAddress, SHORT_STREAMS, SMALL, type Subject } from "./cases.ts"
import { EXCEPTIONS } from "./exceptions.ts"
import { OPERATIONS } from "./interface.ts"

const keyOf = (one: { readonly check: string; readonly name: string; readonly operation: string }): string =>
  `${one.operation}: ${one.check} ${one.name}`

const exceptions = new Map(EXCEPTIONS.map((exception) => [keyOf(exception), exception]))

const casesOf = (...checks: ReadonlyArray<Check>) =>
  CASES.filter(({ check }) => checks.includes(check)).map(
    (one) => [keyOf({ ...one, operation: one.operation.id }), one] as const
  )

async function expectRuled(key: string, one: Case, subject: Subject): Promise<void> {
  const seen = await one.ask(subject)
  const exception = exceptions.get(key)
  if (exception !== undefined) expect(exception.answer, "an exception that follows the rule").not.toBe(one.expected)
  expect(seen).toBe(exception?.answer ?? one.expected)
}

/** Asked of the actors themselves: over HTTP it would draw on the limits that are tried here. */
async function tokensOf(service: TestService, agent: string): Promise<Subject["tokens"]> {
  const { command } = service.view
  await command("vault.create", agent, null)
  await waitFor(async () => (await command("vault.look", agent, null)).status === "active")
  const { token: source } = await command("vault.create_source", agent, { label: "Bank", kinds: ["login"] })
  return { source, service: await issueToken(service, agent) }
}

async function subjectIn(service: TestService): Promise<Subject> {
  const agent = new AgentClient({ edge: () => service.edges[0] ?? "" })
  const { id } = await register(agent, { edge: service.edges[0] ?? "", headers: freshAddress() })
  const person = new PersonClient({ edge: () => service.edges[0] ?? "" })
  expect(outcome(await person.signUp(freshAddress()))).toBe("201")
  return { service, agent, person, tokens: await tokensOf(service, id) }
}

test("every exception is about a case that exists", () => {
  const known = new Set(CASES.map((one) => keyOf({ ...one, operation: one.operation.id })))
  expect([...exceptions.keys()].filter((key) => !known.has(key))).toEqual([])
  expect(exceptions.size).toBe(EXCEPTIONS.length)
})

test("every operation has cases of each kind that can apply to it", () => {
  for (const operation of OPERATIONS) {
    const kinds = new Set(CASES.filter((one) => one.operation === operation).map(({ check }) => check))
    const validated =
      operation.body !== null || operation.parameters.some((parameter) => parameter.schema.enum !== undefined)
    expect([operation.id, [...kinds].toSorted()]).toEqual([
      operation.id,
      validated ? ["limit", "signature", "validation"] : ["limit", "signature"]
    ])
  }
})

/** Every part of the service is there. */
const WITH_MAIL = {
  mail: "mail.hub.example",
  keeper: true,
  env: { HUB_TRUST_PROXY: "1", HUB_DNS_SERVERS: "127.0.0.1:9" }
}

describe("with ordinary limits", () => {
  let subject: Subject
  beforeAll(async () => {
    subject = await subjectIn(await testService({ ...WITH_MAIL, limits: SHORT_STREAMS }))
  })
  afterAll(() => subject?.service.stop())

  test.each(casesOf("signature", "validation"))("%s", (key, one) => expectRuled(key, one, subject))
})

describe("with small limits", () => {
  let subject: Subject
  beforeAll(async () => {
    const limits = Object.fromEntries(
      Object.entries(SMALL).map(([bucket, requests]) => [`rate_limits.${bucket}.requests`, requests])
    )
    subject = await subjectIn(await testService({ ...WITH_MAIL, limits: { ...SHORT_STREAMS, ...limits } }))
  })
  afterAll(() => subject?.service.stop())

  test.each(casesOf("limit"))("%s", (key, one) => expectRuled(key, one, subject))
})
