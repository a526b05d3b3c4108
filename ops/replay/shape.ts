/** Formats a schema as a line of text for people: `{reason: string, until?: string}`. */
import { Schema } from "effect"

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const listOf = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isObject) : [])

/** Deeper shapes are cut off. */
const DEPTH_MAX = 6

const text = (schema: unknown, definitions: Json, depth = 0): string => {
  if (!isObject(schema) || depth > DEPTH_MAX) return "…"
  const inner = (one: unknown): string => text(one, definitions, depth + 1)
  const { $ref, type, properties, items, enum: values, required } = schema
  if (typeof $ref === "string") return inner(definitions[$ref.split("/").at(-1) ?? ""])
  if ("const" in schema) return JSON.stringify(schema["const"])
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ")
  const parts = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])]
  if (parts.length > 0) return [...new Set(parts.map(inner))].join(" | ")
  if (isObject(properties)) {
    const needed = new Set(Array.isArray(required) ? required : [])
    const fields = Object.entries(properties).map(
      ([name, one]) => `${name}${needed.has(name) ? "" : "?"}: ${inner(one)}`
    )
    return `{${fields.join(", ")}}`
  }
  if (type === "array") {
    const item = inner(isObject(items) ? items : (listOf(schema["prefixItems"])[0] ?? {}))
    return item.includes(" ") ? `(${item})[]` : `${item}[]`
  }
  if (isObject(schema["additionalProperties"])) return `{[name]: ${inner(schema["additionalProperties"])}}`
  const [first] = listOf(schema["allOf"])
  if (type === undefined && first !== undefined) return inner(first)
  return Array.isArray(type) ? type.join(" | ") : typeof type === "string" ? type : "anything"
}

export const shapeOf = (schema: Schema.Top): string => {
  const { schema: root, definitions } = Schema.toJsonSchemaDocument(schema)
  return text(root, definitions as Json)
}
