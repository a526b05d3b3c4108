/** What every operation is asked, derived from the committed description: each case with what the rule expects. */
import { expect } from "vitest"
import { AgentClient, type CallOptions } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { PersonClient } from "../support/person.ts"
import { register } from "../support/register.ts"
import type { TestService } from "../support/service.ts"
import type { Exception } from "./exceptions.ts"
import { type Operation, OPERATIONS, pathWith, sampleOf, type Shape, violationsOf } from "./interface.ts"

export type Check = Exception["check"]

export interface Case {
  readonly operation: Operation
  readonly check: Check
  readonly name: string
  /** What the rule expects. */
  readonly expected: string
  readonly ask: (subject: Subject) => Promise<string>
}

export interface Subject {
  readonly service: TestService
  readonly agent: AgentClient
  readonly person: PersonClient
  /** Of the agent's vault. */
  readonly tokens: { readonly source: string; readonly service: string }
}

/** Whether only a vault's token lets it be asked. */
const byToken = ({ token }: Operation) => (token === "source" || token === "service" ? token : null)

/** A stream ends by itself: each of its cases is an answer with an end like any other. */
export const SHORT_STREAMS = { "notifications.stream_lifetime_ms": 100 }

export const SMALL = {
  agent: 3,
  write: 2,
  key: 5,
  anon: 3,
  register: 2,
  ip: 7,
  id_verify: 2,
  id_directory: 2,
  recover: 2,
  human_register: 2,
  human_login: 2,
  human_write: 2
}

let addresses = 0
export const freshAddress = (): Readonly<Record<string, string>> => {
  addresses += 1
  return { "x-forwarded-for": `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}` }
}

const bodyOf = (operation: Operation): CallOptions =>
  operation.body === null ? {} : { body: sampleOf(operation.body) }

const bySigner = (
  client: AgentClient,
  operation: Operation,
  options: CallOptions = bodyOf(operation)
): Promise<Answer> =>
  client.call(operation.method, pathWith(operation.path), {
    ...options,
    headers: { ...freshAddress(), ...options.headers }
  })

/** A session of its own where an operation is for people: the operation may end it. */
type Headers = Readonly<Record<string, string>>
const tokenFor = async ({ person, tokens }: Subject, operation: Operation): Promise<Headers> => {
  const kind = byToken(operation)
  if (kind !== null) return { authorization: `Bearer ${tokens[kind]}` }
  if (operation.auth !== "human") return {}
  expect(outcome(await person.logIn(person.password, freshAddress()))).toBe("200")
  return { authorization: `Bearer ${person.token}` }
}

const unsigned = (edge: string, operation: Operation, headers = freshAddress()): Promise<Answer> => {
  const { body } = bodyOf(operation)
  return send({
    edge,
    method: operation.method,
    path: pathWith(operation.path),
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
}

const signatureCases = (operation: Operation): ReadonlyArray<Case> => {
  const make = (name: string, expected: string, ask: Case["ask"]): Case => ({
    operation,
    check: "signature",
    name,
    expected,
    ask
  })
  const stranger = ({ service }: Subject) => new AgentClient({ edge: () => service.edges[0] ?? "" })
  const spoiled = (headers: Readonly<Record<string, string>>) => async (subject: Subject) =>
    outcome(
      await bySigner(subject.agent, operation, {
        ...bodyOf(operation),
        headers: { ...(await tokenFor(subject, operation)), ...headers }
      })
    )
  return [
    ...(operation.auth === "human"
      ? [
          make("by a token of nobody", "401 session_invalid", async ({ service }) => {
            const authorization = `Bearer hxh_${"a".repeat(59)}`
            return outcome(await unsigned(service.edges[0] ?? "", operation, { ...freshAddress(), authorization }))
          }),
          make("in a token's place", "401 authentication_required", async ({ agent }) =>
            outcome(await bySigner(agent, operation))
          )
        ]
      : []),
    ...(byToken(operation) === null
      ? []
      : [
          make("by a token of nobody", "401 token_invalid", async ({ service }) => {
            const authorization = `Bearer hx${operation.token === "source" ? "s" : "v"}_${"0".repeat(24)}${"a".repeat(43)}`
            return outcome(await unsigned(service.edges[0] ?? "", operation, { ...freshAddress(), authorization }))
          })
        ]),
    ...(operation.auth === "signed" || operation.auth === "human" || operation.token !== null
      ? [
          make("none", "401 authentication_required", async ({ service }) =>
            outcome(await unsigned(service.edges[0] ?? "", operation))
          )
        ]
      : []),
    ...(operation.auth === "none"
      ? []
      : [
          make("of an unregistered key", "401 key_unknown", async (subject) =>
            outcome(
              await bySigner(stranger(subject), operation, {
                ...bodyOf(operation),
                headers: await tokenFor(subject, operation)
              })
            )
          )
        ]),
    make("incomplete", "401 auth_headers_incomplete", spoiled({ "x-hub-nonce": "" })),
    make("of another request", "401 auth_bad_signature", spoiled({ "x-hub-nonce": "another-nonce-than-signed" })),
    make("with a bad key", "401 auth_invalid_key", spoiled({ "x-hub-key": "AAAA" })),
    make("with a bad timestamp", "401 auth_invalid_timestamp", spoiled({ "x-hub-timestamp": "yesterday" })),
    make("with a bad nonce", "401 auth_invalid_nonce", spoiled({ "x-hub-nonce": "short" })),
    make("of another time", "401 auth_timestamp_skew", spoiled({ "x-hub-timestamp": "1700000000" })),
    make("sent twice", "401 auth_nonce_reused", async (subject) => {
      const { agent } = subject
      await bySigner(agent, operation, { ...bodyOf(operation), headers: await tokenFor(subject, operation) })
      return outcome(await send(agent.last ?? { edge: "", method: "", path: "" }))
    })
  ]
}

const refusedFor = (answer: Answer): string => `${outcome(answer)} ${String(fieldOf(answer))}`

const validationCases = (operation: Operation): ReadonlyArray<Case> => {
  const make = (name: string, expected: string, ask: Case["ask"]): Case => ({
    operation,
    check: "validation",
    name,
    expected,
    ask
  })
  const withBody = (body: unknown) => async (subject: Subject) => {
    const { agent, service } = subject
    if (operation.auth !== "none")
      return refusedFor(await bySigner(agent, operation, { body, headers: await tokenFor(subject, operation) }))
    const text = typeof body === "string" ? body : JSON.stringify(body)
    return refusedFor(
      await send({
        edge: service.edges[0] ?? "",
        method: operation.method,
        path: pathWith(operation.path),
        headers: { ...freshAddress(), ...(await tokenFor(subject, operation)) },
        body: text
      })
    )
  }
  return [
    ...queryCases(operation, make),
    ...(operation.body === null
      ? []
      : bodyCases(operation.body, (name, expected, body) => make(name, expected, withBody(body))))
  ]
}

const queryCases = (
  operation: Operation,
  make: (name: string, expected: string, ask: Case["ask"]) => Case
): ReadonlyArray<Case> =>
  operation.parameters
    .filter((parameter) => parameter.in === "query" && parameter.schema.enum !== undefined)
    .map(({ name }) =>
      make(`an unknown ${name}`, `422 validation_error ${name}`, async ({ service, agent }) => {
        const path = `${pathWith(operation.path)}?${name}=no-such-value`
        const { method, auth } = operation
        const headers = freshAddress()
        return refusedFor(
          auth === "signed"
            ? await agent.call(method, path, { headers })
            : await send({ edge: service.edges[0] ?? "", method, path, headers })
        )
      })
    )

const bodyCases = (
  shape: Shape,
  make: (name: string, expected: string, body: unknown) => Case
): ReadonlyArray<Case> => {
  const sample = sampleOf(shape) as Readonly<Record<string, unknown>>
  const required = shape.required ?? []
  return [
    make("no JSON", "422 validation_error body", "{"),
    make("no UTF-8 text that ends", "422 validation_error body", '{"a": "\ud800'),
    ...(required.length === 0 ? [] : [make("an empty object", `422 validation_error ${required[0]}`, {})]),
    ...required.map((name) =>
      make(
        `without ${name}`,
        `422 validation_error ${name}`,
        Object.fromEntries(Object.entries(sample).filter(([key]) => key !== name))
      )
    ),
    ...Object.entries(shape.properties ?? {}).flatMap(([name, part]) =>
      violationsOf(part).map(([what, value]) =>
        make(`${what} as ${name}`, `422 validation_error ${name}`, { ...sample, [name]: value })
      )
    )
  ]
}

/** The bucket that refuses when one caller, or all from one address, ask on and on. */
const limitCases = (operation: Operation): ReadonlyArray<Case> => {
  const bucketOf = async (ask: () => Promise<Answer>): Promise<string> => {
    for (let turn = 0; turn <= SMALL.ip + 1; turn++) {
      const answer = await ask()
      if (answer.status !== 429) continue
      expect(Number(answer.headers["retry-after"]), "Retry-After").toBeGreaterThan(0)
      return String(detailsOf(answer)["bucket"])
    }
    return "none"
  }
  const make = (name: string, expected: string, ask: Case["ask"]): Case => ({
    operation,
    check: "limit",
    name,
    expected,
    ask
  })
  const cases: Array<Case> = []
  const kind = byToken(operation)
  if (kind !== null)
    return [
      make("by a token", kind === "source" ? "vault_sources" : "agent", async (subject) => {
        const headers = { ...freshAddress(), ...(await tokenFor(subject, operation)) }
        return bucketOf(() => unsigned(subject.service.edges[0] ?? "", operation, headers))
      })
    ]
  if (operation.auth !== "signed") {
    cases.push(
      make("unsigned", operation.auth === "human" && operation.method !== "GET" ? "ip" : "anon", ({ service }) => {
        const from = freshAddress()
        return bucketOf(() => unsigned(service.edges[0] ?? "", operation, from))
      })
    )
  }
  if (operation.auth === "human") {
    cases.push(
      make("by a person", operation.method === "GET" ? "anon" : "human_write", async ({ service }) => {
        const edge = () => service.edges[0] ?? ""
        const person = new PersonClient({ edge })
        expect(outcome(await person.signUp(freshAddress()))).toBe("201")
        expect(outcome(await person.logIn(person.password, freshAddress()))).toBe("200")
        const from = { ...freshAddress(), authorization: `Bearer ${person.token}` }
        return bucketOf(() => unsigned(edge(), operation, from))
      })
    )
  } else if (operation.auth !== "none") {
    cases.push(
      make("signed", operation.method === "GET" ? "agent" : "write", async ({ service }) => {
        const client = new AgentClient({ edge: () => service.edges[0] ?? "" })
        await register(client, { edge: service.edges[0] ?? "", headers: freshAddress() })
        return bucketOf(() => bySigner(client, operation))
      })
    )
  }
  return cases
}

export const CASES = OPERATIONS.flatMap((operation) => [
  ...signatureCases(operation),
  ...validationCases(operation),
  ...limitCases(operation)
])
