/** The interface as its committed description has it: what generated tests are generated from. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { newIdentity } from "../support/identity.ts"

/** The part of JSON Schema that the description uses. */
export interface Shape {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Shape
  readonly anyOf?: ReadonlyArray<Shape>
  readonly allOf?: ReadonlyArray<Shape>
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly schema: Shape
}

export interface Operation {
  /** Method and path: "GET /api/v1/agents/{ref}". */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly auth: "none" | "signed" | "optional" | "human"
  /** Which token of a vault it takes; `any` also where it may be signed. */
  readonly token: "source" | "service" | "any" | null
  readonly parameters: ReadonlyArray<Parameter>
  readonly body: Shape | null
}

interface Described {
  readonly "x-hub-auth": Operation["auth"]
  readonly "x-hub-token"?: NonNullable<Operation["token"]>
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Shape }>> }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Shape>> }
}

const document = JSON.parse(readFileSync(join(projectRoot, "schemas", "contract", "openapi.json"), "utf8")) as Document

const resolved = (shape: Shape): Shape => {
  const name = shape.$ref?.split("/").at(-1)
  return name === undefined ? shape : (document.components.schemas[name] ?? {})
}

export const OPERATIONS: ReadonlyArray<Operation> = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => {
    const body = described.requestBody?.content["application/json"]?.schema
    return {
      id: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      auth: described["x-hub-auth"],
      token: described["x-hub-token"] ?? null,
      parameters: described.parameters ?? [],
      body: body === undefined ? null : resolved(body)
    }
  })
)

export const PATHS: ReadonlyMap<string, ReadonlyArray<Operation>> = Map.groupBy(
  OPERATIONS,
  (operation) => operation.path
)

/** Of the right form, though nothing of that name exists. */
const SAMPLES: Readonly<Record<string, string>> = {
  id: "0".repeat(32),
  public_key: newIdentity().publicKey,
  url: "https://sample.example/",
  origin: "https://sample.example",
  email: "sample@sample.example",
  password: "four quiet words here"
}

/** The path with something in place of each parameter that could stand there. */
export const pathWith = (path: string, values: Readonly<Record<string, string>> = {}): string =>
  path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(values[name] ?? SAMPLES[name] ?? `no-such-${name}`)
  )

/** The simplest value of a shape. */
export function sampleOf(shape: Shape): unknown {
  if (shape.enum !== undefined) return shape.enum[0]
  if (shape.anyOf !== undefined) return sampleOf(shape.anyOf[0] ?? {})
  switch (shape.type) {
    case "string":
      return "sample".padEnd(shape.minLength ?? 0, "e")
    case "integer":
    case "number":
      return 1
    case "boolean":
      return true
    case "array":
      return []
    case "object":
      return Object.fromEntries(
        (shape.required ?? []).map((name) => [name, SAMPLES[name] ?? sampleOf(shape.properties?.[name] ?? {})])
      )
    default:
      return "anything"
  }
}

/** Values that a shape forbids, with what is wrong with each. */
export function violationsOf(shape: Shape): ReadonlyArray<readonly [string, unknown]> {
  const { type, maxLength, minLength, maxItems } = {
    ...shape,
    ...shape.allOf?.find((part) => part.maxLength !== undefined)
  }
  const found: Array<readonly [string, unknown]> = []
  if (shape.anyOf !== undefined) return shape.anyOf.some((part) => part.type === "string") ? [["a list", ["x"]]] : []
  if (type === "string") found.push(["a number", 7], ["an object", { a: 1 }])
  if (type === "array" || type === "object") found.push(["a text", "text"], ["a number", 7])
  if (type === "string" && maxLength !== undefined) found.push(["too long a text", "x".repeat(maxLength + 1)])
  if (type === "string" && minLength !== undefined && minLength > 0) found.push(["too short a text", ""])
  if (type === "array" && maxItems !== undefined)
    found.push(["too long a list", Array.from({ length: maxItems + 1 }, () => sampleOf(shape.items ?? {}))])
  return found
}
