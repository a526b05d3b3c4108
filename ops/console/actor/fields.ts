/**
 * Makes the fields of an operation's form from its schema, and converts them back to the input. A field is named after
 * its member of the input. Nested values are written as JSON.
 */
import { Schema } from "effect"
import { html, type Html } from "../../../edge/kit/html.ts"
import { type OperationName, OPERATIONS } from "../../../schemas/bus/operations.ts"
import { Fault } from "../../cli/fault.ts"
import { shapeOf } from "../../replay/shape.ts"

type Json = Readonly<Record<string, unknown>>

interface Field {
  readonly name: string
  readonly type: "text" | "number" | "flag" | "choice" | "json"
  /**
   * True if the input must have the member. An empty field is left out of the input if it is not required. If it is
   * required and may be `null`, it becomes `null`.
   */
  readonly required: boolean
  readonly nullable: boolean
  readonly choices: ReadonlyArray<string>
}

/** Prefix of the members, in the address of the page. */
const MEMBER = "in."
/** The field's name if the input is not an object. */
const WHOLE = "input"

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const listOf = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isJson) : [])

const resolved = (schema: Json, definitions: Json): Json => {
  const { $ref } = schema
  const named = typeof $ref === "string" ? definitions[$ref.split("/").at(-1) ?? ""] : undefined
  return isJson(named) ? named : schema
}

/**
 * Effect's schema of a number also accepts the texts `NaN`, `Infinity` and `-Infinity`, which a form does not offer.
 */
const isWordOfNumber = ({ enum: values }: Json): boolean => Array.isArray(values) && values.includes("NaN")

const kindOf = (schema: Json): Pick<Field, "type" | "choices"> => {
  const { type, enum: values, const: only } = schema
  const words = Array.isArray(values) ? values : typeof only === "string" ? [only] : []
  if (words.length > 0 && words.every((word) => typeof word === "string"))
    return { type: "choice", choices: words as ReadonlyArray<string> }
  if (type === "string") return { type: "text", choices: [] }
  if (type === "integer" || type === "number") return { type: "number", choices: [] }
  return { type: type === "boolean" ? "flag" : "json", choices: [] }
}

const fieldOf = (name: string, given: unknown, required: boolean, definitions: Json): Field => {
  const schema = isJson(given) ? resolved(given, definitions) : {}
  const all = listOf(schema["anyOf"]).map((one) => resolved(one, definitions))
  const parts = all.filter((one) => one["type"] !== "null" && !isWordOfNumber(one))
  const nullable = schema["type"] === "null" || all.some((one) => one["type"] === "null")
  const [only, other] = parts.length === 0 ? [schema] : parts
  if (only !== undefined && other === undefined) return { name, required, nullable, ...kindOf(only) }
  const words = parts.flatMap((one) => kindOf(one).choices)
  const isChoice = parts.every((one) => kindOf(one).type === "choice")
  return { name, required, nullable, type: isChoice ? "choice" : "json", choices: isChoice ? words : [] }
}

/** `null` if the input is not an object. It is then written as JSON. */
const fieldsOf = (op: OperationName): ReadonlyArray<Field> | null => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(OPERATIONS[op].input)
  const root = resolved(schema as Json, definitions as Json)
  const { properties, required } = root
  if (!isJson(properties)) return null
  const needed: ReadonlyArray<unknown> = Array.isArray(required) ? required : []
  return Object.entries(properties).map(([name, one]) => fieldOf(name, one, needed.includes(name), definitions as Json))
}

const FLAGS = ["true", "false"]

const control = ({ type, choices }: Field, name: string, value: string): Html => {
  const id = `w-${name}`
  if (type === "flag" || type === "choice") {
    const options = ["", ...(type === "flag" ? FLAGS : choices)].map(
      (one) => html`<option value="${one}"${one === value ? html` selected` : null}>${one}</option>`
    )
    return html`<select id="${id}" name="${name}">${options}</select>`
  }
  if (type === "json") return html`<textarea id="${id}" name="${name}" rows="3" spellcheck="false">${value}</textarea>`
  if (type === "number") return html`<input id="${id}" name="${name}" inputmode="decimal" value="${value}">`
  return html`<textarea id="${id}" name="${name}" rows="1">${value}</textarea>`
}

const hintOf = ({ type, required, nullable }: Field): string =>
  [
    ...(type === "json" ? ["JSON"] : []),
    ...(required ? [] : ["may be empty"]),
    ...(nullable ? [required ? "empty is null" : "null is written as null"] : [])
  ].join(", ")

export const isOperation = (op: string): op is OperationName => Object.hasOwn(OPERATIONS, op)

/** The fields of the operation, filled with the values in the address. */
export const fieldsHtml = (op: OperationName, query: URLSearchParams): Html => {
  const fields = fieldsOf(op)
  const whole: Field = { name: WHOLE, type: "json", required: true, nullable: true, choices: [] }
  const named = fields === null ? [[WHOLE, whole] as const] : fields.map((one) => [MEMBER + one.name, one] as const)
  const made = named.map(([name, field]) => {
    const hint = hintOf(field)
    return html`<div class="field"><label for="w-${name}">${field.name}</label>
${control(field, name, query.get(name) ?? "")}${hint === "" ? null : html`<span class="faint">${hint}</span>`}</div>
`
  })
  return html`<p class="faint">Input: <code>${shapeOf(OPERATIONS[op].input)}</code></p>
${made}`
}

const parsed = (name: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Fault(`\`${name}\` must be JSON.`)
  }
}

const valueOf = ({ name, type, required, nullable }: Field, text: string): unknown => {
  if (text.trim() === "" && !(required && type === "text" && !nullable)) {
    if (required && nullable) return null
    return undefined
  }
  if (nullable && !required && text.trim() === "null") return null
  if (type === "flag") return text === "true"
  if (type === "json") return parsed(name, text)
  if (type !== "number") return text
  const value = Number(text)
  if (!Number.isFinite(value)) throw new Fault(`\`${name}\` must be a number.`)
  return value
}

/** Converts the fields to the input. The operation's schema validates it later. Throws a Fault that names the field. */
export const inputOf = (op: OperationName, query: URLSearchParams): unknown => {
  const fields = fieldsOf(op)
  if (fields === null) {
    const text = query.get(WHOLE) ?? ""
    return text.trim() === "" ? null : parsed(WHOLE, text)
  }
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = valueOf(field, query.get(MEMBER + field.name) ?? "")
      return value === undefined ? [] : [[field.name, value]]
    })
  )
}
