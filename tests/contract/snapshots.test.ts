/** The committed contract: what the code says, in a form that tools of others take, complete. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { Validator } from "@seriousme/openapi-schema-validator"
import { HttpApi, OpenApi } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { projectRoot } from "../../ops/launcher/paths.ts"
import openapi from "../../schemas/contract/openapi.json" with { type: "json" }
import { partsOf } from "../../schemas/noun.ts"
import * as nouns from "../../schemas/nouns.ts"
import { consumers, streams, subjects } from "../../schemas/subjects.ts"
import { byChapter } from "../../schemas/traits.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { textOf, trackedFiles } from "./tracked.ts"

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly "x-hub-auth"?: string
  readonly "x-hub-token"?: string
  readonly "x-hub-max-body-bytes"?: number
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly schema: object
    readonly description?: string
  }>
  readonly security: unknown
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>
}

interface CodeShape {
  readonly enum?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<CodeShape>
}

interface Response {
  readonly content: {
    readonly "application/json": {
      readonly schema: {
        readonly properties: { readonly error: { readonly properties: { readonly code: CodeShape } } }
      }
    }
  }
}

const METHODS = ["get", "post", "put", "patch", "delete"]

const operations = Object.entries(openapi.paths as unknown as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
)

const sharedResponses = (openapi.components as unknown as { responses: Record<string, Response> }).responses

/** What is added to an operation that does not declare the status itself. */
const ADDED: Readonly<Record<string, string>> = {
  401: "SignatureRefused",
  403: "AccountClosed",
  408: "RequestTimeout",
  412: "PreconditionFailed",
  413: "RequestTooLarge",
  414: "UriTooLong",
  422: "InputRefused",
  431: "HeadersTooLarge"
}
const ALWAYS_ADDED = Object.keys(ADDED).filter((status) => status !== "412" && status !== "422")

const errorsIn = (responses: Operation["responses"]): Operation["responses"] =>
  Object.fromEntries(Object.entries(responses).filter(([status]) => Number(status) >= 400))

const GROUPS = byChapter(partsOf(nouns, "api"))

const enumerated = (shape: CodeShape): ReadonlyArray<string> => shape.enum ?? (shape.anyOf ?? []).flatMap(enumerated)

/** The error codes of an operation under a status, by whichever way they are declared. */
const codesOf = (operation: Operation, status: string): ReadonlyArray<string> => {
  const declared = operation.responses[status]
  const response =
    declared !== undefined && "$ref" in declared ? sharedResponses[declared.$ref.split("/").at(-1) ?? ""] : declared
  return response === undefined
    ? []
    : enumerated(response.content["application/json"].schema.properties.error.properties.code)
}

const checkOf = (...args: ReadonlyArray<string>): Promise<{ readonly status: number; readonly errors: string }> =>
  new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ["--no-warnings", join(projectRoot, "ops", "contracts", "write.ts"), ...args],
      (_error, _stdout, errors) => {
        resolve({ status: child.exitCode ?? -1, errors })
      }
    )
  })

describe("what is generated and committed", () => {
  it("is what the code says: the contract, and the verifier as one file", async () => {
    expect(await checkOf("--check")).toEqual({ status: 0, errors: "" })
  })
})

describe("schemas/contract/", () => {
  it("lists every subject, stream and consumer", () => {
    const lines = textOf("schemas/contract/subjects.txt").trim().split("\n")
    for (const name of Object.keys(subjects))
      expect(
        lines.filter((line) => line.startsWith(`subject ${name}: `)),
        name
      ).toHaveLength(1)
    for (const name of [...Object.values(streams), ...Object.values(consumers)])
      expect(
        lines.some((line) => line.endsWith(`: ${name}`)),
        name
      ).toBe(true)
  })

  it("is the whole list: no subject is written as text elsewhere", () => {
    const texts = trackedFiles()
      .filter((file) => /^(schemas|edge|actors|ops)\/.*\.ts$/.test(file) && file !== "schemas/subjects.ts")
      .flatMap((file) =>
        [...textOf(file).matchAll(/["'`]hub\.(?:[a-z]+\.|nonce\b|suspect\b|projected\b)[^"'`<]*["'`$]/g)].map(
          ([subject]) => `${file}: ${subject}`
        )
      )
    expect(texts).toEqual([])
  })

  it("lists each event once, with a version", () => {
    const lines = textOf("schemas/contract/events.txt").trim().split("\n")
    expect(lines.filter((line) => !/^[a-z]+(?:_[a-z]+)*\.[a-z_]+ v[1-9]\d*$/.test(line))).toEqual([])
    expect(new Set(lines.map((line) => line.split(" ")[0])).size).toBe(lines.length)
  })
})

describe("openapi.json", () => {
  it("is valid OpenAPI 3.1", async () => {
    expect(openapi.openapi).toMatch(/^3\.1\./)
    expect(await new Validator().validate(structuredClone(openapi))).toEqual({ valid: true })
  })

  it("says of every operation who may call it", () => {
    expect(operations.length).toBeGreaterThan(15)
    for (const { path, method, operation } of operations) {
      expect(METHODS, path).toContain(method)
      expect(["none", "signed", "optional", "human"], `${method} ${path}`).toContain(operation["x-hub-auth"])
      expect(operation.summary, `${method} ${path}`).toMatch(/\S/)
    }
  })

  it("names every operation once, below the interface's prefix", () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { path } of operations) expect(path).toMatch(/^\/api\/v1(\/|$)/)
  })

  it("lets every operation refuse a signature, and only one that needs it refuse to go without", () => {
    for (const { path, method, operation } of operations) {
      const codes = codesOf(operation, "401")
      expect(codes, `${method} ${path}`).toEqual(
        expect.arrayContaining([
          "auth_headers_incomplete",
          "auth_bad_signature",
          "auth_nonce_reused",
          "key_unknown",
          "key_retired"
        ])
      )
      expect(codes.includes("authentication_required"), `${method} ${path}`).toBe(
        ["signed", "human"].includes(operation["x-hub-auth"] ?? "") || operation["x-hub-token"] !== undefined
      )
      expect(codesOf(operation, "403"), `${method} ${path}`).toEqual(
        expect.arrayContaining(["agent_banned", "agent_deleted"])
      )
    }
  })

  it("asks for the four headers of a signature together, where there must or may be one", () => {
    const { securitySchemes } = openapi.components as unknown as { securitySchemes: Record<string, object> }
    const names = ["X-Hub-Key", "X-Hub-Timestamp", "X-Hub-Nonce", "X-Hub-Signature"]
    expect(Object.keys(securitySchemes)).toEqual([...names, "Person", "VaultToken"])
    for (const name of names) expect(securitySchemes[name]).toMatchObject({ type: "apiKey", in: "header", name })
    const signed = Object.fromEntries(names.map((name) => [name, []]))
    const expected: Readonly<Record<string, unknown>> = {
      signed: [signed],
      optional: [signed, {}],
      human: [{ Person: [] }],
      none: []
    }
    const byToken: Readonly<Record<string, unknown>> = {
      source: [{ VaultToken: [] }],
      service: [{ VaultToken: [] }],
      any: [signed, { VaultToken: [] }]
    }
    for (const { path, method, operation } of operations) {
      const { "x-hub-auth": auth = "", "x-hub-token": token = "" } = operation
      expect(operation.security, `${method} ${path}`).toEqual(byToken[token] ?? expected[auth])
    }
    expect(securitySchemes["VaultToken"]).toMatchObject({ type: "http", scheme: "bearer" })
  })

  it("asks for some authentication wherever it answers that there was none", () => {
    for (const { path, method, operation } of operations)
      if (codesOf(operation, "401").includes("authentication_required"))
        expect(operation.security, `${method} ${path}`).not.toEqual([])
  })

  it("lists 422 wherever a parameter of the query has more to it than being text", () => {
    let refusable = 0
    for (const { path, method, operation } of operations) {
      const isBound = operation.parameters.some(
        ({ in: place, schema }) => place === "query" && ("pattern" in schema || "enum" in schema || "anyOf" in schema)
      )
      if (!isBound) continue
      refusable++
      expect(codesOf(operation, "422"), `${method} ${path}`).toContain("validation_error")
    }
    expect(refusable).toBeGreaterThan(10)
  })

  it("takes an Idempotency-Key where something is changed by an agent or a person, and nowhere else", () => {
    for (const { path, method, operation } of operations) {
      const parameter = operation.parameters.find(({ name }) => name === "Idempotency-Key")
      expect(parameter !== undefined, `${method} ${path}`).toBe(
        ["signed", "human"].includes(operation["x-hub-auth"] ?? "") && method !== "get"
      )
      if (parameter !== undefined)
        expect(parameter).toMatchObject({
          in: "header",
          required: false,
          schema: { type: "string", minLength: 1, maxLength: 255 }
        })
    }
  })

  it("declares what the HTTP layer makes of any request: 408, 413, 414, 431", () => {
    const expected = {
      408: "request_timeout",
      413: "request_too_large",
      414: "uri_too_long",
      431: "header_fields_too_large"
    }
    for (const { path, method, operation } of operations) {
      for (const [status, code] of Object.entries(expected))
        expect(codesOf(operation, status), `${method} ${path}`).toEqual([code])
    }
  })

  it("tells the ceiling of each body: 10 MB with files or data, 1.5 MB with a long text or a picture, 64 KB elsewhere", () => {
    const more = new Map([
      ["post /api/v1/email/send", 10_551_296],
      ["post /api/v1/email/messages/{id}/reply", 10_551_296],
      ["post /api/v1/posts", 10_551_296],
      ["patch /api/v1/posts/{id}", 10_551_296],
      ["put /api/v1/posts/{id}/file", 10_485_760],
      ["put /api/v1/compartments/{id}/files", 10_485_760],
      ["post /api/v1/email/inbound/ses", 307_200]
    ])
    const long = [
      "patch /api/v1/me",
      "post /api/v1/compartments",
      "patch /api/v1/compartments/{id}",
      "post /api/v1/me/captcha",
      "post /api/v1/register",
      "post /api/v1/threads",
      "patch /api/v1/threads/{id}",
      "post /api/v1/threads/{id}/replies",
      "patch /api/v1/replies/{id}"
    ]
    for (const { path, method, operation } of operations) {
      const written = more.get(`${method} ${path}`) ?? (long.includes(`${method} ${path}`) ? 1_572_864 : 65_536)
      const ceiling = method === "get" ? undefined : written
      expect(operation["x-hub-max-body-bytes"], `${method} ${path}`).toBe(ceiling)
      expect(operation).not.toHaveProperty("x-hub-body")
    }
  })

  it("lets every success name what was not understood, in `meta.ignored`", () => {
    const named = { type: "array", items: { type: "string" } }
    let envelopes = 0
    for (const { path, method, operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const schema = "content" in response ? response.content["application/json"]?.schema : undefined
        const { ok, meta } = (schema?.properties ?? {}) as unknown as Record<string, { readonly properties: object }>
        if (!status.startsWith("2") || ok === undefined) continue
        envelopes++
        expect(meta?.properties, `${method} ${path}`).toMatchObject({ ignored: named })
      }
    }
    expect(envelopes).toBeGreaterThan(150)
  })

  it("has 304 where an answer has an entity tag, and 206 where a part of it can be asked for", () => {
    const answering = (status: string) =>
      operations
        .filter(({ operation }) => status in operation.responses)
        .map(({ method, path }) => `${method} ${path.slice("/api/v1".length)}`)
    expect(answering("206").toSorted()).toEqual(["get /posts/{id}/data", "get /posts/{id}/file"])
    expect(answering("304")).toEqual(
      expect.arrayContaining([
        ...answering("206"),
        "get /docs",
        "get /openapi.json",
        "get /feed",
        "get /categories/{slug}/feed",
        "get /id/directory",
        "get /threads/{id}",
        "get /search"
      ])
    )
  })

  it("describes every parameter of a query", () => {
    const bare = operations.flatMap(({ path, method, operation }) =>
      operation.parameters
        .filter(({ in: place, description }) => place === "query" && description === undefined)
        .map(({ name }) => `${method} ${path} ${name}`)
    )
    expect(bare).toEqual([])
  })

  it("has no pattern that other languages cannot read", () => {
    const patterns = [...JSON.stringify(openapi).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text]) =>
      String(JSON.parse(text ?? ""))
    )
    expect(patterns.length).toBeGreaterThan(3)
    expect(patterns.filter((pattern) => /\\p\{|\\u\{|\(\?<[=!]/i.test(pattern))).toEqual([])
  })

  it("refers to an error response by its name, and says by that what the operation declares", () => {
    const declared = OpenApi.fromApi(
      HttpApi.make("declared")
        .add(...GROUPS)
        .prefix(API_PREFIX)
    )
    const answersOf = (path: string, method: string) =>
      (declared.paths as unknown as Record<string, Record<string, Operation>>)[path]?.[method]?.responses ?? {}
    let compared = 0
    for (const { path, method, operation } of operations) {
      const own = errorsIn(answersOf(path, method))
      const all = errorsIn(operation.responses)
      for (const [status, response] of Object.entries(all)) {
        const { $ref, ...rest } = response as { readonly $ref: string }
        expect([$ref, rest], `${method} ${path} ${status}`).toEqual([
          expect.stringMatching(/^#\/components\/responses\/\w+$/),
          {}
        ])
        const named = sharedResponses[$ref.split("/").at(-1) ?? ""]
        if (own[status] === undefined) expect(ADDED[status], `${method} ${path} ${status}`).toBe($ref.split("/").at(-1))
        else expect(named, `${method} ${path} ${status}`).toEqual(own[status])
        compared++
      }
      expect(Object.keys(all), `${method} ${path}`).toEqual(
        expect.arrayContaining([...Object.keys(own), ...ALWAYS_ADDED])
      )
    }
    expect(compared).toBeGreaterThan(1900)
  })

  it("names each error response once, and none that no operation has", () => {
    const texts = Object.values(sharedResponses).map((response) => JSON.stringify(response))
    expect(texts.length).toBeGreaterThan(100)
    expect(new Set(texts).size).toBe(texts.length)
    const met = new Set(JSON.stringify(openapi.paths).match(/(?<="#\/components\/responses\/)\w+/g))
    expect([...met].toSorted()).toEqual(Object.keys(sharedResponses).toSorted())
  })

  it("declares what any operation can meet: 429, 500, 503", () => {
    for (const { path, method, operation } of operations) {
      expect(Object.keys(operation.responses), `${method} ${path}`).toEqual(
        expect.arrayContaining(["429", "500", "503"])
      )
    }
  })
})
