/** The committed contract: what the code says, in a form that tools of others take, complete. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { Validator } from "@seriousme/openapi-schema-validator"
import { describe, expect, it } from "vitest"
import { projectRoot } from "../../ops/launcher/paths.ts"
import openapi from "../../schemas/contract/openapi.json" with { type: "json" }
import { consumers, streams, subjects } from "../../schemas/subjects.ts"
import { textOf, trackedFiles } from "./tracked.ts"

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly "x-hub-auth"?: string
  readonly responses: Readonly<Record<string, unknown>>
}

const METHODS = ["get", "post", "put", "patch", "delete"]

const operations = Object.entries(openapi.paths as unknown as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
)

const checkOf = (...args: ReadonlyArray<string>): Promise<{ readonly status: number; readonly errors: string }> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, ["--no-warnings", join(projectRoot, "ops", "contracts", "write.ts"), ...args], (_error, _stdout, errors) => {
      resolve({ status: child.exitCode ?? -1, errors })
    })
  })

describe("schemas/contract/", () => {
  it("is what the code says", async () => {
    expect(await checkOf("--check")).toEqual({ status: 0, errors: "" })
  })

  it("lists every subject, stream and consumer", () => {
    const lines = textOf("schemas/contract/subjects.txt").trim().split("\n")
    for (const name of Object.keys(subjects)) expect(lines.filter((line) => line.startsWith(`subject ${name}: `)), name).toHaveLength(1)
    for (const name of [...Object.values(streams), ...Object.values(consumers)]) expect(lines.some((line) => line.endsWith(`: ${name}`)), name).toBe(true)
  })

  it("is the whole list: no subject is written as text elsewhere", () => {
    const texts = trackedFiles()
      .filter((file) => /^(schemas|edge|actors|ops)\/.*\.ts$/.test(file) && file !== "schemas/subjects.ts")
      .flatMap((file) => [...textOf(file).matchAll(/["'`]hub\.(?:[a-z]+\.|nonce\b|suspect\b|projected\b)[^"'`<]*["'`$]/g)].map(([subject]) => `${file}: ${subject}`))
    expect(texts).toEqual([])
  })

  it("lists each event once, with a version", () => {
    const lines = textOf("schemas/contract/events.txt").trim().split("\n")
    expect(lines.filter((line) => !/^[a-z]+\.[a-z_]+ v[1-9]\d*$/.test(line))).toEqual([])
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

  it("lets an operation that needs a signature refuse one", () => {
    for (const { path, method, operation } of operations) {
      const refuses = Object.hasOwn(operation.responses, "401")
      expect(refuses, `${method} ${path}`).toBe(operation["x-hub-auth"] === "signed")
    }
  })

  it("declares what any operation can meet: 429, 500, 503", () => {
    for (const { path, method, operation } of operations) {
      expect(Object.keys(operation.responses), `${method} ${path}`).toEqual(expect.arrayContaining(["429", "500", "503"]))
    }
  })
})
