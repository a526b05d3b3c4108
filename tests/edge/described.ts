/**
 * Compares answers with what the service's own OpenAPI document says of them. Its schemas are read as JSON Schema; lengths
 * and ranges of numbers are not compared.
 */
import type { Answered } from "./edge.ts"

interface Shape {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | Shape
  readonly items?: Shape
  readonly anyOf?: ReadonlyArray<Shape>
  readonly allOf?: ReadonlyArray<Shape>
}

interface Response {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly schema: Shape }>>
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Record<string, Response> }>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>
    readonly schemas: Readonly<Record<string, Shape>>
  }
}

/** Differences between one answer and its description. `operation`: "GET /time". Empty where there are none. */
export type Differences = (operation: string, answer: Answered) => ReadonlyArray<string>

const mediaType = (text: string): string => text.split(";")[0] ?? ""

const hasType = (type: string, value: unknown): boolean => {
  if (type === "null") return value === null
  if (type === "array") return Array.isArray(value)
  if (type === "integer") return Number.isInteger(value)
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value)
  return typeof value === type
}

const nameOf = (ref: string): string => ref.split("/").at(-1) ?? ""

export const differencesFrom = (document: string): Differences => {
  const described = JSON.parse(document) as Described
  const { responses, schemas } = described.components

  const within = (shape: Shape, value: unknown, at: string): ReadonlyArray<string> => {
    if (shape.$ref !== undefined) {
      const named = schemas[nameOf(shape.$ref)]
      return named === undefined ? [`${at}: no schema ${shape.$ref}`] : within(named, value, at)
    }
    const found = (shape.allOf ?? []).flatMap((part) => within(part, value, at))
    if (shape.anyOf !== undefined && shape.anyOf.every((part) => within(part, value, at).length > 0))
      found.push(`${at}: none of the choices`)
    if (shape.enum !== undefined && !shape.enum.includes(value))
      found.push(`${at}: ${JSON.stringify(value)} is no choice`)
    if (shape.type !== undefined && !hasType(shape.type, value)) return [...found, `${at}: no ${shape.type}`]
    if (Array.isArray(value)) {
      const { items } = shape
      return items === undefined
        ? found
        : [...found, ...value.flatMap((one, index) => within(items, one, `${at}/${index}`))]
    }
    if (typeof value !== "object" || value === null) return found
    const { properties = {}, required = [], additionalProperties = true } = shape
    for (const name of required) if (!Object.hasOwn(value, name)) found.push(`${at}/${name}: missing`)
    for (const [name, part] of Object.entries(value)) {
      const own = properties[name] ?? additionalProperties
      if (own === false) found.push(`${at}/${name}: not described`)
      if (typeof own === "object") found.push(...within(own, part, `${at}/${name}`))
    }
    return found
  }

  return (operation, answer) => {
    const [method = "", path = ""] = operation.split(" ")
    const declared = described.paths[`/api/v1${path}`]?.[method.toLowerCase()]?.responses[answer.status]
    if (declared === undefined) return [`${operation}: no answer ${answer.status}`]
    const { content = {} } = declared.$ref === undefined ? declared : (responses[nameOf(declared.$ref)] ?? {})
    const sent = answer.headers.get("content-type")
    if (sent === null) return Object.keys(content).length === 0 ? [] : [`${operation}: a body is missing`]
    const type = Object.keys(content).find((one) => mediaType(one) === mediaType(sent))
    if (type === undefined) return [`${operation}: no ${sent} at ${answer.status}`]
    return type.includes("json") ? within(content[type]?.schema ?? {}, JSON.parse(answer.text), "") : []
  }
}
