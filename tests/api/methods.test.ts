/**
 * What every path of the interface makes of every method, of an ending slash, and what every answer carries (spec
 * 4.1).
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { ListedMail } from "../../schemas/mail/records.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { deliver, message } from "../support/mail.ts"
import { outcome } from "../support/outcome.ts"
import { PersonClient } from "../support/person.ts"
import { png } from "../support/pictures.ts"
import { answer, declared } from "../support/sponsorship.ts"
import { register, type Registered } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"
import { dataOf } from "../support/outcome.ts"
import { asHolder, filled, issueToken, openVault } from "../support/vault.ts"
import { STARTER_LIBRARY } from "../../ops/launcher/starter-library.ts"
import { waitFor } from "../harness/index.ts"
import { operate } from "../support/hub.ts"
import { OPERATIONS, PATHS, pathWith } from "./interface.ts"

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

let service: TestService
let client: AgentClient
let agent: Registered
const OWN_DOMAIN = "own.custom.example"
/** What `{id}` of a path is. */
const ids = new Map<string, string>()
let slug = ""
/** Of the agent's vault. */
let tokens = { source: "", service: "" }
const person = new PersonClient({ edge: () => service.edges[0] ?? "" })

beforeAll(async () => {
  service = await testService({
    edges: 1,
    mail: "mail.hub.example",
    keeper: true,
    env: { HUB_DNS_SERVERS: "127.0.0.1:9" },
    limits: { "notifications.stream_lifetime_ms": 100 }
  })
  client = new AgentClient({ edge: () => service.edges[0] ?? "" })
  agent = await register(client, { edge: service.edges[0] ?? "" })
  const made = async (path: string, body: object): Promise<string> =>
    String(dataOf<{ id: number }>(await client.call("POST", path, { body })).id)
  ids.set("posts", await made("/api/v1/posts", { title: "One", body: "Text", data: [1] }))
  const file = await client.call("PUT", `/api/v1/posts/${ids.get("posts")}/file?filename=a.txt`, {
    body: Buffer.from("a")
  })
  expect(outcome(file)).toBe("200")
  const thread = await made("/api/v1/threads", { category: "help", title: "One", body: "Text" })
  ids.set("threads", thread)
  await operate(service.system, ["library", "import", STARTER_LIBRARY])
  slug = await waitFor(async () =>
    dataOf<ReadonlyArray<{ slug: string }>>(await ask("GET", "/api/v1/library"))
      .map((entry) => entry.slug)
      .at(0)
  )
  const other = new AgentClient({ edge: () => service.edges[0] ?? "" })
  const { handle: to } = await register(other, { edge: service.edges[0] ?? "" })
  await operate(service.system, ["agent", "grant", agent.handle, "operator"])
  const reported = { target_type: "agent", target_id: to, reason: "other" }
  ids.set("reports", await made("/api/v1/reports", reported))
  ids.set("messages", await made("/api/v1/messages", { to, body: "Text" }))
  expect(outcome(await person.signUp())).toBe("201")
  expect(outcome(await person.logIn())).toBe("200")
  ids.set("humans", person.id)
  const sponsorship = await declared(person, { agent })
  expect(outcome(await answer({ client, agent }, sponsorship.id, "confirm"))).toBe("200")
  const image_base64 = (await png()).toString("base64")
  // The agent has its owner once it was told of the declaration.
  ids.set("me", await waitFor(() => made("/api/v1/me/captcha", { image_base64, kind: "text" }).catch(() => null)))
  ids.set("replies", await made(`/api/v1/threads/${thread}/replies`, { body: "Text" }))
  ids.set("email/mailboxes", await made("/api/v1/email/mailboxes", {}))
  const domain = await client.call("POST", "/api/v1/email/domains", { body: { domain: OWN_DOMAIN } })
  expect(outcome(domain)).toBe("201")
  ids.set("email/messages", await mailed(`${agent.handle}@mail.hub.example`))
  const source = await filled(await openVault({ client, agent }), 1)
  ids.set("vault/entries", "1")
  ids.set("vault/sources", String(source.id))
  tokens = { source: source.token, service: await issueToken(service, agent.id) }
  const wanted = { entry_id: 1, action: "login", origin: "https://shop.example" }
  const holder = asHolder(service, tokens.service)
  const { fill_id } = dataOf<{ readonly fill_id: number }>(await holder("POST", "/api/v1/vault/service/fill", wanted))
  ids.set("vault/service", String(fill_id))
  const relayed = await holder("POST", "/api/v1/vault/captcha", { image_base64, kind: "text", fill_id, round: 1 })
  ids.set("vault/captcha", String(dataOf<{ readonly id: number }>(relayed).id))
})
afterAll(() => service?.stop())

/** A message with an attachment came. */
const mailed = async (to: string): Promise<string> => {
  const part = "--b\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\na\r\n--b--"
  const headers = ["Content-Type: multipart/mixed; boundary=b"]
  await deliver(service.system.mail?.port ?? 0, { to, raw: message({ to, headers, body: part }) })
  return waitFor(async () =>
    dataOf<ReadonlyArray<ListedMail>>(await client.call("GET", "/api/v1/email/messages"))
      .map((one) => one.message_id)
      .at(0)
  )
}

const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  send({ edge: service.edges[0] ?? "", method, path, headers })

const allowedOn = (path: string): ReadonlyArray<string> => {
  const own = (PATHS.get(path) ?? []).map(({ method }) => method)
  return [...own, ...(own.includes("GET") ? ["HEAD"] : []), "OPTIONS"].toSorted()
}

const listOf = (header: string | undefined): ReadonlyArray<string> =>
  (header ?? "")
    .split(",")
    .map((part) => part.trim())
    .toSorted()

describe.each([...PATHS.keys()])("%s", (path) => {
  const address = pathWith(path)

  test("OPTIONS is answered to anybody, with the path's methods", async () => {
    const answer = await ask("OPTIONS", address, { "access-control-request-headers": "x-hub-key, x-hub-anything" })
    expect([answer.status, answer.text]).toEqual([204, ""])
    expect(listOf(answer.headers["allow"])).toEqual(allowedOn(path))
    expect(answer.headers["access-control-allow-origin"]).toBe("*")
    expect(listOf(answer.headers["access-control-allow-methods"])).toEqual(allowedOn(path))
    const headers = listOf(answer.headers["access-control-allow-headers"]).map((name) => name.toLowerCase())
    expect(headers).toEqual(
      expect.arrayContaining([
        "x-hub-key",
        "x-hub-timestamp",
        "x-hub-nonce",
        "x-hub-signature",
        "x-hub-anything",
        "content-type",
        "authorization",
        "idempotency-key"
      ])
    )
  })

  test("any other method is 405 with Allow", async () => {
    for (const method of METHODS.filter((one) => !allowedOn(path).includes(one))) {
      const answer = await ask(method, address)
      expect([method, outcome(answer), listOf(answer.headers["allow"])]).toEqual([
        method,
        "405 method_not_allowed",
        allowedOn(path)
      ])
    }
  })

  test("an ending slash, another case and a doubled slash are another path", async () => {
    const others = [`${address}/`, address.toUpperCase(), address.replace("/v1", "/v1/")].filter(
      (other) => other !== "/api/v1/"
    )
    for (const other of others.filter((one) => !PATHS.has(one)))
      expect([other, outcome(await ask("GET", other))]).toEqual([other, expect.stringMatching(/^404 not_found$/)])
  })
})

/** Of a compartment there is something to get where a host runs it: tests/runtime/compartment-besides.test.ts. */
const isOfHost = (path: string): boolean => path.startsWith("/api/v1/compartments/{id}")

describe.each(OPERATIONS.filter(({ method, path }) => method === "GET" && !isOfHost(path)))(
  "$id",
  ({ path, auth, token }) => {
    const address = () =>
      pathWith(path, {
        ref: agent.handle,
        number: agent.hx_id,
        id: ids.get(path.split("/")[3] ?? "") ?? ids.get(path.split("/").slice(3, 5).join("/")) ?? "",
        n: "1",
        domain: OWN_DOMAIN,
        chapter: "mail",
        slug: path.includes("/categories/") ? "help" : slug
      })
    const bearer = (): string | null => {
      if (token === "source" || token === "service") return tokens[token]
      return auth === "human" ? person.token : null
    }
    const get = (method: string): Promise<Answer> => {
      if (auth === "signed") return client.call(method, address())
      const own = bearer()
      return ask(method, address(), own === null ? {} : { authorization: `Bearer ${own}` })
    }

    test("HEAD has the status and headers of GET, and no body", async () => {
      const [full, head] = [await get("GET"), await get("HEAD")]
      expect(full.status).toBe(200)
      expect([head.status, head.text]).toEqual([200, ""])
      const kept = (answer: Answer) =>
        Object.keys(answer.headers)
          .filter((name) => name !== "transfer-encoding")
          .toSorted()
      expect(kept(head)).toEqual(kept(full))
      expect(head.headers["content-type"]).toBe(full.headers["content-type"])
    })

    test("carries the headers of every answer", async () => {
      const answer = await get("GET")
      expect(Math.abs(Number(answer.headers["x-hub-server-time"]) - Date.now() / 1000)).toBeLessThan(60)
      expect(answer.headers["access-control-allow-origin"]).toBe("*")
      expect(listOf(String(answer.headers["access-control-expose-headers"])).map((name) => name.toLowerCase())).toEqual(
        expect.arrayContaining([
          "x-hub-server-time",
          "x-ratelimit-limit",
          "x-ratelimit-remaining",
          "x-ratelimit-reset",
          "retry-after"
        ])
      )
      expect(answer.headers["x-request-id"]).toMatch(/^[\w-]{8,64}$/)
      expect(answer.headers["x-ratelimit-limit"] !== undefined).toBe(auth === "signed")
    })
  }
)

test.each([
  "/api/v1/nothing",
  "/api/v1/agents/x/y/z",
  "/api/v2",
  "/api",
  "/api/v1/me/",
  "/nothing",
  "/api/v1/%2e%2e/me"
])("%s is 404 in the envelope, whatever the method", async (path) => {
  for (const method of METHODS) {
    const answer = await ask(method, path)
    expect([method, outcome(answer)]).toEqual([method, "404 not_found"])
    expect(answer.json.ok).toBe(false)
  }
})

test("an error is told as problem+json to whoever asks for it, and with the same status", async () => {
  const answer = await ask("GET", "/api/v1/agents/nobody-at-all", { accept: "application/problem+json" })
  expect(answer.headers["content-type"]).toContain("application/problem+json")
  expect(JSON.parse(answer.text)).toEqual({
    type: expect.any(String),
    title: "Not Found",
    status: 404,
    detail: expect.any(String),
    code: "not_found",
    details: { resource: "agent" },
    doc_url: expect.stringMatching(/\/docs\/errors#not_found$/)
  })
})

test("the described interface is the one that is served", async () => {
  const served = JSON.parse((await ask("GET", "/api/v1/openapi.json")).text) as {
    openapi: string
    paths: Record<string, Record<string, { "x-hub-auth": string }>>
  }
  expect(served.openapi).toMatch(/^3\.1\./)
  const operations = Object.entries(served.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => `${method.toUpperCase()} ${path} ${operation["x-hub-auth"]}`)
  )
  expect(operations.toSorted()).toEqual(OPERATIONS.map(({ id, auth }) => `${id} ${auth}`).toSorted())
})
