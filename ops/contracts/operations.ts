/**
 * Describes the operations of the interface for programs that run without the contracts: a small table for the client's
 * methods, and the tools of `hub-agent mcp` with their JSON schemas.
 *
 * Invariants
 *  - Each operation has one flat set of fields: those of its path, of its query and of its body. A field of the path
 *    must not occur in query or body. A body may share fields with the query only if it shares all of them, and they
 *    are sent in the query. Otherwise generating fails with an error.
 *  - A text that is sent in an address may also be given as a number.
 *  - Operations whose answer never ends are left out, because they cannot be called and awaited. Operations for people,
 *    for the mail provider and for tokens of vaults are left out too: the client and the tools are for agents.
 */
import type { OpenApi } from "effect/http-api"
import { API_PREFIX } from "../../schemas/version.ts"

export const OPERATION_TABLE = "edge/sdk/client/operation-table.ts"
export const TOOLS = "edge/sdk/mcp/tools.json"

type JsonSchema = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: object
}

interface Declared {
  readonly operationId: string
  readonly "x-hub-auth"?: string
  readonly "x-hub-token"?: string
  readonly summary?: string
  readonly description?: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly responses: Readonly<Record<string, { readonly content?: object }>>
}

interface Operation {
  readonly group: string
  readonly name: string
  readonly method: string
  /** The path below the interface's prefix, with `:name` for parameters. */
  readonly path: string
  readonly query: ReadonlyArray<string>
  readonly body: "none" | "fields" | "bytes"
  readonly answer: "json" | "text" | "bytes" | "stream"
  readonly description: string
  readonly inputSchema: JsonSchema
}

const BYTES_TYPE = "application/octet-stream"
const STREAM_TYPE = "text/event-stream"

const inAddress = (schema: object): JsonSchema =>
  "type" in schema && schema.type === "string" && !("enum" in schema)
    ? { ...schema, type: ["string", "integer"] }
    : { ...schema }

interface Fields {
  readonly properties: JsonSchema
  readonly required: ReadonlyArray<string>
}

const addressFields = (parameters: ReadonlyArray<Parameter>, where: string): Fields => {
  const found = parameters.filter((parameter) => parameter.in === where)
  return {
    properties: Object.fromEntries(found.map(({ name, schema }) => [name, inAddress(schema)])),
    required: found.filter(({ required }) => required).map(({ name }) => name)
  }
}

const bodyFields = (schema: object): Fields => {
  const properties = "properties" in schema ? schema.properties : undefined
  if (typeof properties !== "object" || properties === null) throw new Error("A body must be an object of fields")
  const required = "required" in schema && Array.isArray(schema.required) ? schema.required.map(String) : []
  return { properties: { ...properties }, required }
}

const answerOf = ({ responses, operationId }: Declared): Operation["answer"] => {
  const success = Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1].content
  const type = Object.keys(success ?? {})[0]
  if (type === undefined) throw new Error(`${operationId} declares no answer`)
  if (type === BYTES_TYPE) return "bytes"
  if (type.startsWith(STREAM_TYPE)) return "stream"
  return type.includes("json") ? "json" : "text"
}

const nothing: Fields = { properties: {}, required: [] }

const operationOf = (path: string, method: string, declared: Declared): Operation => {
  const [group = "", name = ""] = declared.operationId.split(".")
  const [type, body] = Object.entries(declared.requestBody?.content ?? {})[0] ?? []
  const inPath = addressFields(declared.parameters, "path")
  const inQuery = addressFields(declared.parameters, "query")
  const inBody = body === undefined || type === BYTES_TYPE ? nothing : bodyFields(body.schema)
  const query = Object.keys(inQuery.properties)
  const own = Object.keys(inBody.properties).filter((field) => !query.includes(field))
  for (const field of Object.keys(inPath.properties))
    if (query.includes(field) || own.includes(field)) throw new Error(`${name} has two fields ${field}`)
  if (own.length > 0 && own.length < Object.keys(inBody.properties).length)
    throw new Error(`${name} has fields in its query that are in its body as well, and others that are not`)
  return {
    group,
    name,
    method: method.toUpperCase(),
    path: path.slice(API_PREFIX.length).replaceAll(/\{(\w+)\}/g, ":$1") || "/",
    query,
    body: type === BYTES_TYPE ? "bytes" : own.length === 0 ? "none" : "fields",
    answer: answerOf(declared),
    description: [declared.summary, declared.description].filter((text) => text !== undefined).join(". "),
    inputSchema: {
      type: "object",
      properties: { ...inPath.properties, ...inBody.properties, ...inQuery.properties },
      required: [...inPath.required, ...inQuery.required, ...inBody.required],
      additionalProperties: false
    }
  }
}

const PEOPLE = "human."

const isForPeople = (method: string, { operationId, "x-hub-auth": auth }: Declared): boolean =>
  auth === "human" || (operationId.startsWith(PEOPLE) && method !== "get")

/** True for the endpoint of the mail provider. It takes plain text, and no client of this project calls it. */
const isForProvider = ({ requestBody }: Declared): boolean => requestBody?.content["text/plain"] !== undefined

/** True for operations that are called with a vault's token alone: sources and fill services sign nothing. */
const isForTokens = ({ "x-hub-token": token }: Declared): boolean => token === "source" || token === "service"

export const operationsIn = (document: OpenApi.OpenAPISpec): ReadonlyArray<Operation> => {
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, given]) => ({ path, method, declared: given as unknown as Declared }))
    )
    .filter(
      ({ method, declared }) => !isForPeople(method, declared) && !isForProvider(declared) && !isForTokens(declared)
    )
    .map(({ path, method, declared }) => operationOf(path, method, declared))
    .filter(({ answer }) => answer !== "stream")
  const names = operations.map(({ name }) => name)
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  if (twice.length > 0) throw new Error(`Operations that have one name: ${twice.join(", ")}`)
  return operations
}

const HEAD = `/**
 * The operations of the interface by their names: where they are, and which of their fields go into the query. All
 * others go into the body, except those in the path.
 *
 * Generated from the contracts by \`npm run contracts\`: change those, not this.
 */`

const entryOf = ({ name, method, path, query, body }: Operation): string => {
  const names = query.map((field) => JSON.stringify(field)).join(", ")
  return `  ${name}: { method: "${method}", path: "${path}", query: [${names}], body: "${body}" }`
}

export const operationTable = (operations: ReadonlyArray<Operation>): string =>
  `${HEAD}\nexport const OPERATIONS = {\n${operations.map(entryOf).join(",\n")}\n} as const\n`

export const toolsJson = (operations: ReadonlyArray<Operation>): string => {
  const tools = operations.map(({ group, name, method, body, answer, description, inputSchema }) => ({
    group,
    name,
    method,
    body,
    answer,
    description,
    inputSchema
  }))
  return `${JSON.stringify(tools, null, 1)}\n`
}
