/**
 * Adds to the OpenAPI document the parts that all operations share. They are derived from the operations' annotations,
 * so no operation has to declare them. The typed client does not use them.
 *
 * Invariants
 *  - Security follows `x-hub-auth`: `signed` needs the four headers, `optional` allows them. If an operation has
 *    `x-hub-token`, that decides: a vault's token, or with `any` a token or a signature.
 *  - An operation whose query has more than free text lists 422 `validation_error`.
 *  - A signature is always verified, even if it is not required, so each operation may refuse it.
 *  - Refusals of the HTTP layer, which come before it knows the operation, are listed for each operation.
 *  - Every operation that reads a body states the body's ceiling, as `x-hub-max-body-bytes`.
 *  - Traits and schemas/markdown.ts decide which operations answer 304, 206 and in markdown.
 *  - An answer that an operation declares itself is not changed. Each refusal is a named response, by its status and
 *    its last codes, and operations refer to it.
 */
import type { OpenApi } from "effect/http-api"
import { CLOSED_CODES, SIGNATURE_CODES, type TokenKind } from "./envelope.ts"
import { ERROR_STATUS, type ErrorCode } from "./errors.ts"
import { type BodyKind, bodyCeiling } from "./body-ceiling.ts"
import { LIMITS } from "./limits.ts"
import { MARKDOWN_TYPE, WITH_MARKDOWN } from "./markdown.ts"
import type { Traits } from "./traits.ts"

type Operation = OpenApi.OpenAPISpecOperation & {
  readonly "x-hub-auth"?: string
  readonly "x-hub-token"?: TokenKind
  readonly "x-hub-max-body-bytes"?: number
}
type Described = Operation & { readonly "x-hub-body"?: BodyKind }

const SIGNATURE_SCHEMES: Readonly<Record<string, string>> = {
  "X-Hub-Key": "base64 of the 32 bytes of an Ed25519 public key",
  "X-Hub-Timestamp": "unix seconds",
  "X-Hub-Nonce": "8 to 128 random characters of A-Z a-z 0-9 _ - = . : + /, new for every request",
  "X-Hub-Signature": "base64 of the 64-byte Ed25519 signature of the string to sign, see GET /api/v1/docs"
}

const SIGNED: OpenApi.OpenAPISecurityRequirement = Object.fromEntries(
  Object.keys(SIGNATURE_SCHEMES).map((name) => [name, []])
)

const SECURITY: Readonly<Record<string, ReadonlyArray<OpenApi.OpenAPISecurityRequirement>>> = {
  signed: [SIGNED],
  optional: [SIGNED, {}],
  human: [{ Person: [] }]
}

const VAULT_TOKEN: OpenApi.OpenAPISecurityRequirement = { VaultToken: [] }

const securityOf = ({ "x-hub-auth": auth = "", "x-hub-token": token }: Described) => {
  if (token === undefined) return [...(SECURITY[auth] ?? [])]
  return token === "any" ? [SIGNED, VAULT_TOKEN] : [VAULT_TOKEN]
}

const IDEMPOTENCY_KEY: OpenApi.OpenAPISpecParameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "One for each intention, kept over its retries: the first answer is given again, with `Idempotent-Replayed: true`.",
  schema: { type: "string", minLength: 1, maxLength: LIMITS.limits.idempotency_key_max_chars }
}

interface SharedResponse {
  readonly description: string
  readonly codes: ReadonlyArray<ErrorCode>
  readonly status: number
}

const shared = (description: string, code: ErrorCode): SharedResponse => ({
  description,
  codes: [code],
  status: ERROR_STATUS[code]
})

const SHARED: Readonly<Record<string, SharedResponse>> = {
  SignatureRefused: { description: "A signature came along and is refused", codes: SIGNATURE_CODES, status: 401 },
  AccountClosed: { description: "The account that signed is closed", codes: CLOSED_CODES, status: 403 },
  RequestTimeout: shared("The request arrived too slowly", "request_timeout"),
  RequestTooLarge: shared("The body is too large", "request_too_large"),
  UriTooLong: shared("The address is too long", "uri_too_long"),
  HeadersTooLarge: shared("The headers are too large or too many", "header_fields_too_large")
}

/** Added if a parameter can be wrong. */
const PARAMETER_REFUSED = { InputRefused: shared("The query is refused", "validation_error") }

/** Added to writes. Most writes do not compare entity tags, and refuse `If-Match`. */
const WRITE_REFUSED = {
  PreconditionFailed: shared("`If-Match` or `If-None-Match` does not hold", "precondition_failed")
}

const responseOf = ({ description, codes }: SharedResponse): OpenApi.OpenApiSpecResponse => ({
  description,
  content: {
    "application/json": {
      schema: {
        type: "object",
        properties: {
          ok: { type: "boolean", enum: [false] },
          error: {
            type: "object",
            properties: {
              code: { type: "string", enum: codes },
              message: { type: "string" },
              details: { type: "object" },
              doc_url: { type: "string" }
            },
            required: ["code", "message", "doc_url"],
            additionalProperties: false
          }
        },
        required: ["ok", "error"],
        additionalProperties: false
      }
    }
  }
})

/** Free text and clamped numbers are never refused (spec 4.1). Their schema is only that of a text. */
const isRefusable = ({ in: place, schema }: OpenApi.OpenAPISpecParameter): boolean =>
  place === "query" && Object.keys(schema).some((key) => key !== "type" && key !== "description")

const TEXT = { type: "string" }
const ETAG = { ETag: { required: true, description: "The entity tag of the whole answer.", schema: TEXT } }

const NOT_MODIFIED = {
  description: "The answer has not changed since the client got the entity tag that it sent in `If-None-Match`.",
  headers: ETAG
}

const IF_NONE_MATCH: OpenApi.OpenAPISpecParameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The `ETag` of an earlier answer. An answer that is still the same is 304, without a body.",
  schema: TEXT
}

/** Parameters that are added to writes of stored bytes. */
const TAGS: ReadonlyArray<OpenApi.OpenAPISpecParameter> = [
  {
    name: "If-Match",
    in: "header",
    required: false,
    description:
      "The `ETag` of the bytes that are to be there, or `*` for any. Otherwise nothing happens and the answer is 412.",
    schema: TEXT
  },
  {
    name: "If-None-Match",
    in: "header",
    required: false,
    description: "`*` if no bytes are to be there yet. Otherwise nothing happens and the answer is 412.",
    schema: TEXT
  }
]

const RANGE: OpenApi.OpenAPISpecParameter = {
  name: "Range",
  in: "header",
  required: false,
  description: "One range of bytes, such as `bytes=0-1023`. The answer is 206 with that part.",
  schema: TEXT
}

type Responses = Readonly<Record<string, object>>

/** The answer with a part of the bytes that `200` answers, with the same media types. */
const partOf = (whole: OpenApi.OpenApiSpecResponse | undefined) => ({
  description: "The part that `Range` asked for",
  headers: {
    ...ETAG,
    "Content-Range": { required: true, description: "Which bytes these are, and how many there are.", schema: TEXT }
  },
  content: Object.fromEntries(
    Object.keys(whole?.content ?? {}).map((type) => [type, { schema: { type: "string", format: "binary" } }])
  )
})

const conditional = (responses: OpenApi.OpenAPISpecResponses, { ranged = false }: Traits): Responses => ({
  ...(ranged ? { 206: partOf(responses[200]) } : {}),
  304: { $ref: "#/components/responses/NotModified" }
})

const MARKDOWN_IDS: ReadonlySet<string> = new Set(WITH_MARKDOWN)

const inMarkdown = ({ operationId, responses }: Operation): Responses => {
  const whole = responses[200]
  if (operationId === undefined || !MARKDOWN_IDS.has(operationId) || whole === undefined) return {}
  return { 200: { ...whole, content: { ...whole.content, [MARKDOWN_TYPE]: { schema: TEXT } } } }
}

const isTagged = ({ reused = false, tagged = false }: Traits): boolean => reused || tagged

/** Copies the description of the parameter's schema to the parameter. */
const withDescription = (parameter: OpenApi.OpenAPISpecParameter): OpenApi.OpenAPISpecParameter =>
  "description" in parameter.schema && typeof parameter.schema.description === "string"
    ? { ...parameter, description: parameter.schema.description }
    : parameter

const isWrite = (method: string): boolean => method !== "get"

const completeOperation = (
  method: string,
  { "x-hub-body": body = "plain", ...operation }: Described,
  traits: Traits
): Operation => {
  const auth = operation["x-hub-auth"] ?? ""
  const shared = {
    ...SHARED,
    ...(operation.parameters.some(isRefusable) ? PARAMETER_REFUSED : {}),
    ...(isWrite(method) ? WRITE_REFUSED : {})
  }
  const refusals = Object.entries(shared).map(([name, { status }]) => [
    String(status),
    { $ref: `#/components/responses/${name}` }
  ])
  return {
    ...operation,
    ...(isWrite(method) ? { "x-hub-max-body-bytes": bodyCeiling(LIMITS, body) } : {}),
    parameters: [
      ...operation.parameters.map(withDescription),
      ...((auth === "signed" || auth === "human") && isWrite(method) ? [IDEMPOTENCY_KEY] : []),
      ...(isTagged(traits) ? [IF_NONE_MATCH] : []),
      ...(traits.ranged === true ? [RANGE] : []),
      ...(traits.comparesTags === true ? TAGS : [])
    ],
    security: securityOf(operation),
    responses: {
      ...Object.fromEntries(refusals),
      ...operation.responses,
      ...inMarkdown(operation),
      ...(isTagged(traits) ? conditional(operation.responses, traits) : {})
    }
  }
}

interface Refusal {
  readonly content?: {
    readonly "application/json"?: {
      readonly schema?: {
        readonly properties?: { readonly error?: { readonly properties?: { readonly code?: CodeSchema } } }
      }
    }
  }
}
interface CodeSchema {
  readonly enum?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<CodeSchema>
}

const REFUSED_FROM = 400
const enumerated = (schema: CodeSchema): ReadonlyArray<string> =>
  schema.enum ?? (schema.anyOf ?? []).flatMap(enumerated)

const codesOf = ({ content }: Refusal): ReadonlyArray<string> =>
  enumerated(content?.["application/json"]?.schema?.properties?.error?.properties?.code ?? {})

const inPascalCase = (code: string): string =>
  code
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")

/**
 * Maps the content of every refusal that operations declare to a name. Refusals that several operations share are named
 * first, so they get the shorter names.
 */
function namedRefusals(operations: ReadonlyArray<Operation>): ReadonlyMap<string, string> {
  const times = new Map<string, number>()
  const names = new Map<string, string>()
  const declared = operations.flatMap(({ responses }) =>
    Object.entries(responses).filter(([status]) => Number(status) >= REFUSED_FROM)
  )
  for (const [, response] of declared) {
    const text = JSON.stringify(response)
    times.set(text, (times.get(text) ?? 0) + 1)
  }
  const taken = new Set<string>()
  const isShared = ([, response]: (typeof declared)[number]): boolean => (times.get(JSON.stringify(response)) ?? 0) > 1
  for (const [status, response] of [...declared.filter(isShared), ...declared]) {
    const text = JSON.stringify(response)
    const codes = codesOf(response as Refusal)
    if (names.has(text) || codes.length === 0) continue
    const ends = codes.map((_, index) =>
      codes
        .slice(-1 - index)
        .map(inPascalCase)
        .join("Or")
    )
    // A longer list of codes may end with the same ones and have the name already.
    const candidates = [...ends, `Only${ends.at(-1)}`].map((end) => `Refused${status}${end}`)
    const name = candidates.find((one) => !taken.has(one))
    if (name === undefined) throw new Error(`openapi: no name is left for ${status} ${codes.join(", ")}`)
    taken.add(name)
    names.set(text, name)
  }
  return names
}

const withNames = (operation: Operation, names: ReadonlyMap<string, string>): Operation => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => {
      const name = names.get(JSON.stringify(response))
      return [status, name === undefined ? response : { $ref: `#/components/responses/${name}` }]
    })
  ) as OpenApi.OpenAPISpecResponses
})

/** Adds the shared parts to the document. */
export const complete = (
  document: Record<string, unknown>,
  traits: ReadonlyMap<string, Traits>
): Record<string, unknown> => {
  const { paths, components, ...rest } = document as unknown as OpenApi.OpenAPISpec
  const names = namedRefusals(
    Object.values(paths).flatMap((operations) => Object.values(operations) as ReadonlyArray<Operation>)
  )
  return {
    ...rest,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, operations]) => [
        path,
        Object.fromEntries(
          Object.entries(operations as Readonly<Record<string, Described>>).map(([method, operation]) => [
            method,
            completeOperation(method, withNames(operation, names), traits.get(operation.operationId ?? "") ?? {})
          ])
        )
      ])
    ),
    components: {
      ...components,
      responses: {
        NotModified: NOT_MODIFIED,
        ...Object.fromEntries(
          Object.entries({ ...SHARED, ...PARAMETER_REFUSED, ...WRITE_REFUSED }).map(([name, response]) => [
            name,
            responseOf(response)
          ])
        ),
        ...Object.fromEntries([...names].map(([response, name]) => [name, JSON.parse(response) as object]))
      },
      securitySchemes: {
        ...Object.fromEntries(
          Object.entries(SIGNATURE_SCHEMES).map(([name, description]) => [
            name,
            { type: "apiKey", in: "header", name, description }
          ])
        ),
        Person: { type: "http", scheme: "bearer", description: "a person's token, see POST /api/v1/humans/login" },
        VaultToken: {
          type: "http",
          scheme: "bearer",
          description:
            "The token of a source or a fill service of a vault, see POST /api/v1/vault/sources. " +
            "`x-hub-token` of the operation says which kind it takes."
        }
      }
    }
  }
}
