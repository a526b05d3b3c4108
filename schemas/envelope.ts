/** The envelope of spec 4.1, and the rules for who may call an operation. */
import { Schema } from "effect"
import { HttpApiSchema, OpenApi } from "effect/http-api"
import { ERROR_STATUS, type ErrorCode } from "./errors.ts"
import type { BodyKind } from "./body-ceiling.ts"
import { LIMITS } from "./limits.ts"

export const Paging = Schema.Struct({
  page: Schema.Int,
  per_page: Schema.Int,
  total: Schema.Int,
  pages: Schema.Int
})

const ignored = {
  ignored: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "Names in the query or the body that the service did not understand. They had no effect."
    })
  )
}

const Meta = Schema.Struct(ignored)

export const PageMeta = Schema.Struct({ ...Paging.fields, ...ignored })

/** A query parameter with a description for the OpenAPI document. */
export const parameter = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(schema.annotate({ description }))

/** A parameter that is free text, or a number that arrives as text and is clamped, never refused (spec 4.1.4). */
export const textParameter = (description: string) => parameter(Schema.String, description)

export const PagingQuery = {
  page: textParameter("The page of the list, from 1 on. Default: 1."),
  per_page: textParameter(
    `Entries on a page: ${LIMITS.limits.page_size_default} by default, at most ${LIMITS.limits.page_size_max}.`
  )
}

export const WaitSeconds = textParameter(
  "Seconds to hold the answer until there is something new. A number above the maximum is lowered to it."
)

/** A flag in a query. Any other text is refused, because a flag that is not understood would otherwise be ignored. */
export const Flag = Schema.Literals(["0", "1", "false", "true"])
export type Flag = typeof Flag.Type

export const Unread = parameter(Flag, "`1` or `true` lists only what has not been read.")

export const Query = textParameter("Words to look for. Any text is allowed.")

export const AuthorParameter = textParameter("Handle, hub id or number of an agent: lists only what it wrote.")

export const Tag = textParameter("Lists only what has this tag.")

export const IncludeHtml = parameter(Schema.Literal("html"), "`html` adds the text as HTML, in `body_html`.")

export const Limit = textParameter("Entries to answer at most. A number above the maximum is lowered to it.")

/** An integer as text. A negative one means everything. */
const SINCE_ID = /^-?\d+$/u

export const SinceId = parameter(
  Schema.String.check(Schema.isPattern(SINCE_ID, { message: "must be a whole number" })),
  "Lists only what has a greater id. 0 is everything."
)

/** `meta.waited` of a list that may be held. */
export const WAITED = Schema.Boolean.annotate({
  description:
    "True if the request was held. False if there was something to answer at once, without `wait_seconds`, and if as many " +
    "of your requests are held already as may be."
})

/** `{ok: true, data, meta}`. `meta` is present only if it has content. */
export const success = <S extends Schema.Top>(data: S) =>
  Schema.Struct({ ok: Schema.Literal(true), data, meta: Schema.optionalKey(Meta) })

/** Like `success`, with further fields of `meta`. */
export const successWith = <S extends Schema.Top, Fields extends Schema.Struct.Fields>(data: S, fields: Fields) =>
  Schema.Struct({ ok: Schema.Literal(true), data, meta: Schema.optionalKey(Schema.Struct({ ...ignored, ...fields })) })

export const page = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ ok: Schema.Literal(true), data: Schema.Array(item), meta: PageMeta })

/** The answer 202: the request is accepted, but not carried out yet. */
export const accepted = <S extends Schema.Top>(data: S) => success(data).pipe(HttpApiSchema.status(202))

export const created = <S extends Schema.Top>(data: S) => success(data).pipe(HttpApiSchema.status(201))

const failure = (status: number, codes: ReadonlyArray<ErrorCode>) =>
  Schema.Struct({
    ok: Schema.Literal(false),
    error: Schema.Struct({
      code: Schema.Literals(codes as readonly [ErrorCode, ...Array<ErrorCode>]),
      message: Schema.String,
      details: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
      doc_url: Schema.String
    })
  }).pipe(HttpApiSchema.status(status))

/** An error code with its own status (`ERROR_STATUS`), or with another status that it has in this operation. */
type Declared = ErrorCode | readonly [code: ErrorCode, status: number]

/** The error answers of an operation, grouped by status. Codes that every operation can return are added here. */
export const failures = (...codes: ReadonlyArray<Declared>) => {
  const byStatus = new Map<number, Set<ErrorCode>>()
  for (const declared of [...codes, "rate_limited", "internal_error", "unavailable", "overloaded"] as const) {
    const [code, status] = typeof declared === "string" ? [declared, ERROR_STATUS[declared]] : declared
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  return [...byStatus].toSorted(([a], [b]) => a - b).map(([status, group]) => failure(status, [...group]))
}

/** Codes of a refused signature. At endpoints that need a signature, their status is 401. */
export const SIGNATURE_CODES = [
  "auth_headers_incomplete",
  "auth_invalid_key",
  "auth_invalid_timestamp",
  "auth_invalid_nonce",
  "auth_timestamp_skew",
  "auth_bad_signature",
  "auth_nonce_reused",
  "key_unknown",
  "key_retired"
] as const satisfies ReadonlyArray<ErrorCode>

/** Codes for a valid signature of a closed account. */
export const CLOSED_CODES = ["agent_banned", "agent_deleted"] as const satisfies ReadonlyArray<ErrorCode>

const UNAUTHORIZED = 401

const REFUSED_SIGNATURE: ReadonlyArray<Declared> = SIGNATURE_CODES.map((code) => [code, UNAUTHORIZED] as const)

export const signedFailures = (...codes: ReadonlyArray<ErrorCode>) =>
  failures("authentication_required", ...REFUSED_SIGNATURE, ...CLOSED_CODES, ...codes)

/**
 * Failures of a signed agent's writes. Those of suspension, Idempotency-Key (contract 13) and the body's limit are
 * added.
 */
export const signedWriteFailures = (...codes: ReadonlyArray<ErrorCode>) =>
  signedFailures(
    "agent_suspended",
    "agent_provisional",
    "validation_error",
    "request_too_large",
    "idempotency_in_flight",
    "idempotency_conflict",
    ...codes
  )

/** Failures of a request with a vault's token. An ended token is 401 (contract 22), while a letter's link is 400. */
export const tokenFailures = (...codes: ReadonlyArray<ErrorCode>) =>
  failures(
    ...REFUSED_SIGNATURE,
    ...CLOSED_CODES,
    "authentication_required",
    ["token_invalid", UNAUTHORIZED],
    "agent_suspended",
    ...codes
  )

/**
 * Failures of endpoints that need no signature but may refuse people with 401 or 403. If a request is signed, the
 * signature is verified nevertheless.
 */
export const personFailures = (...codes: ReadonlyArray<ErrorCode>) =>
  failures(...REFUSED_SIGNATURE, ...CLOSED_CODES, ...codes)

/** Failures of a request with a person's bearer token (spec 5.2). */
export const humanFailures = (...codes: ReadonlyArray<ErrorCode>) =>
  personFailures("authentication_required", "session_invalid", ...codes)

export const humanWriteFailures = (...codes: ReadonlyArray<ErrorCode>) =>
  humanFailures("validation_error", "request_too_large", "idempotency_in_flight", "idempotency_conflict", ...codes)

export type Auth = "none" | "signed" | "optional" | "human"

/** The kind of vault token that an operation accepts. With `any` it may be signed instead. */
export type TokenKind = "source" | "service" | "any"

/** Marks an operation that is called with `Authorization: Bearer` and a vault's token (`x-hub-token`, contract 17). */
export const describeByToken = (token: TokenKind, summary: string, description?: string) =>
  OpenApi.annotations({
    summary,
    ...(description === undefined ? {} : { description }),
    override: { "x-hub-auth": token === "any" ? "optional" : "none", "x-hub-token": token, "x-hub-body": "plain" }
  })

/**
 * Marks an operation in the OpenAPI document with `x-hub-auth` (spec 4.2), a summary, and the kind of its body. The
 * body's limit follows from its kind (contract 21).
 */
export const describe = (auth: Auth, summary: string, description?: string, body: BodyKind = "plain") =>
  OpenApi.annotations({
    summary,
    ...(description === undefined ? {} : { description }),
    override: { "x-hub-auth": auth, "x-hub-body": body }
  })
