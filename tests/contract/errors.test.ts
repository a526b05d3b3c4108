/** Error codes: each has a status, and each is declared where a client can meet it. */
import { describe, expect, it } from "vitest"
import { ERROR_STATUS, type ErrorCode, type ErrorDeclared, ERRORS } from "../../schemas/errors.ts"
import openapi from "../../schemas/contract/openapi.json" with { type: "json" }
import { textOf, trackedFiles } from "./tracked.ts"

/** Answers of the HTTP layer to what reaches no operation: no operation can declare them. */
const OF_THE_HTTP_LAYER: ReadonlyArray<ErrorCode> = [
  "bad_request",
  "cross_site",
  "form_token_invalid",
  "header_fields_too_large",
  "method_not_allowed",
  "request_timeout",
  "uri_too_long"
]

type Json = { readonly [key: string]: Json } | ReadonlyArray<Json> | string | number | boolean | null

interface Declared {
  readonly status: string
  readonly code: string
}

const named = openapi.components.responses as unknown as Readonly<Record<string, Json>>

/** Every text under a `code` property of a document. */
const codesIn = (node: Json, underCode = false): ReadonlyArray<string> => {
  if (typeof node === "string") return underCode ? [node] : []
  if (typeof node !== "object" || node === null) return []
  if (Array.isArray(node)) return node.flatMap((inner: Json) => codesIn(inner, underCode))
  if ("$ref" in node) {
    const name = String(node["$ref"]).split("/").at(-1) ?? ""
    // Others than these are added to every operation alike.
    return /^Refused\d/.test(name) ? codesIn(named[name] ?? null) : []
  }
  return Object.entries(node).flatMap(([name, inner]) => {
    if (underCode) return name === "enum" || name === "anyOf" || name === "const" ? codesIn(inner, true) : []
    return codesIn(inner, name === "code")
  })
}

const declared: ReadonlyArray<Declared> = Object.values(
  openapi.paths as unknown as Record<string, Record<string, { responses: Record<string, Json> }>>
)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ responses }) => Object.entries(responses))
  .filter(([status]) => Number(status) >= 400)
  .flatMap(([status, response]) => codesIn(response).map((code) => ({ status, code })))

const names = Object.keys(ERROR_STATUS) as ReadonlyArray<ErrorCode>

describe("error codes", () => {
  it("are snake case and stand for an error", () => {
    for (const [code, status] of Object.entries(ERROR_STATUS)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(Number.isInteger(status) && status >= 400 && status <= 599, code).toBe(true)
    }
  })

  it("of the description are known, under a status that they have", () => {
    expect(declared.length).toBeGreaterThan(100)
    for (const { code, status } of declared) {
      const known: ErrorDeclared | undefined = ERRORS[code as ErrorCode]
      expect([known?.status, known?.also], code).toContain(Number(status))
    }
  })

  it("are all declared by an operation, but for those of the HTTP layer", () => {
    const met = new Set(declared.map(({ code }) => code))
    expect(names.filter((code) => !met.has(code)).toSorted()).toEqual(OF_THE_HTTP_LAYER.toSorted())
  })

  it("of the HTTP layer are made there, and there alone", () => {
    const makers = (code: string, folder: string) =>
      trackedFiles().filter(
        (file) => file.startsWith(folder) && file.endsWith(".ts") && textOf(file).includes(`refusal("${code}"`)
      )
    for (const code of OF_THE_HTTP_LAYER) {
      expect(makers(code, "edge/"), code).not.toEqual([])
      expect(makers(code, "actors/"), code).toEqual([])
    }
  })
})
