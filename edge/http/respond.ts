/**
 * Builds the answers of the pipeline, with the envelope of spec 4.1 and the common headers. An actor's JSON is inserted
 * without being parsed.
 */
import { STATUS_CODES } from "node:http"
import type { Readable } from "node:stream"
import type { Clock } from "effect"
import { ERROR_STATUS, type Refusal } from "../../schemas/errors.ts"
import { wallSeconds } from "../../schemas/runtime/clock.ts"
import { REQUEST_SCHEME_V2 } from "../../schemas/signing/request.ts"
import type { Call } from "./call.ts"
import type { DocUrls } from "./doc-urls.ts"

/** A handler's answer. Make a new one for each call, because the pipeline adds headers in place. */
export interface Response {
  readonly status: number
  /** Headers by lower-case name. */
  readonly headers: Record<string, string>
  /**
   * A stream is sent as it arrives. Its length is unknown unless a header gives it. Bytes are sent without being
   * parsed.
   */
  readonly body: string | Uint8Array | Readable | null
  /** Set if the bytes are an envelope. The last member of a list's envelope is `meta`; a record's has no `meta`. */
  readonly envelope?: "list" | "record"
  /**
   * The part that may be stored under an Idempotency-Key, if it is not all: a stored copy must not contain data of a
   * person's account.
   */
  readonly kept?: string
  /**
   * Stored instead of the answer if no copy of the answer may exist. The handler makes the answer again from it
   * (`Call.remake`).
   */
  readonly remake?: string
}

export const JSON_TYPE = "application/json; charset=utf-8"
const PROBLEM_TYPE = "application/problem+json; charset=utf-8"

const EXPOSED_HEADERS = [
  "X-Hub-Server-Time",
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-RateLimit-Resource",
  "Retry-After",
  "Idempotent-Replayed",
  "ETag",
  "Accept-Ranges",
  "Content-Range",
  "Content-Disposition",
  "X-Hub-Declared-Type",
  "X-Hub-Sha256",
  "Allow",
  "Location"
].join(", ")

export const commonHeaders = (clock: Clock.Clock, requestId: string): Record<string, string> => ({
  "x-hub-server-time": String(wallSeconds(clock)),
  "x-request-id": requestId,
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED_HEADERS,
  "x-content-type-options": "nosniff"
})

/** Completes the answer. The response is changed in place. */
export const finish = (call: Call, response: Response): Response => {
  const { headers } = response
  Object.assign(headers, commonHeaders(call.clock, call.id), call.headers)
  headers["cache-control"] ??= keptBy(call, response.status)
  Object.assign(headers, rateHeaders(call))
  return response
}

/**
 * Headers about the bucket that refused the request, if one did, or about the agent's own bucket (spec 4.1.7; contract
 * 22).
 */
const rateHeaders = ({ clock, rate, refusal }: Call): Record<string, string> => {
  const { bucket, limit, retry_after } = refusal?.details ?? {}
  if (refusal !== null && statusOf(refusal) === 429 && bucket !== undefined)
    return rateHeadersOf(String(bucket), Number(limit), 0, wallSeconds(clock) + Number(retry_after))
  return rate === null ? {} : rateHeadersOf("agent", rate.limit, rate.remaining, rate.reset)
}

const rateHeadersOf = (resource: string, limit: number, remaining: number, reset: number) => ({
  "x-ratelimit-resource": resource,
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(reset)
})

const keptBy = ({ endpoint }: Call, status: number): string =>
  endpoint === null || endpoint.keptSeconds === 0 || (status !== 200 && status !== 304)
    ? "no-store"
    : `public, max-age=${endpoint.keptSeconds}`

const text = (body: string, status: number, contentType: string): Response => ({
  status,
  headers: { "content-type": contentType, "content-length": String(Buffer.byteLength(body)) },
  body
})

/** An actor's ready JSON as the envelope's `data`. */
export const dataBytes = (bytes: Uint8Array, status = 200): Response => ({
  status,
  headers: { "content-type": JSON_TYPE, "content-length": String(bytes.length + ENVELOPE_CHARS) },
  body: `{"ok":true,"data":${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8")}}`
})

const ENVELOPE_CHARS = '{"ok":true,"data":}'.length

export const dataValue = (data: unknown, status = 200, meta?: object): Response =>
  text(JSON.stringify(meta === undefined ? { ok: true, data } : { ok: true, data, meta }), status, JSON_TYPE)

/**
 * Data with names or texts of people. `kept` is the data without them, which is stored for a repeated Idempotency-Key.
 */
export const dataOfPeople = (data: unknown, kept: unknown, status = 200): Response => ({
  ...dataValue(data, status),
  kept: JSON.stringify({ ok: true, data: kept })
})

/** An envelope whose `data` consists of several parts of ready JSON. */
export const dataParts = (...parts: ReadonlyArray<Uint8Array>): Response => {
  const body = Buffer.concat([DATA_BEGIN, ...parts, DATA_END])
  const headers = { "content-type": JSON_TYPE, "content-length": String(body.length) }
  return { status: 200, headers, body, envelope: "record" }
}

/** A list's items as ready JSON, as the envelope's `data`. */
export const dataItems = (items: Uint8Array, meta: object): Response => {
  const body = Buffer.concat([DATA_BEGIN, items, Buffer.from(`,"meta":${JSON.stringify(meta)}}`)])
  const headers = { "content-type": JSON_TYPE, "content-length": String(body.length) }
  return { status: 200, headers, body, envelope: "list" }
}

const DATA_BEGIN = Buffer.from('{"ok":true,"data":')
const DATA_END = Buffer.from("}")

/** An answer that was stored earlier, with the content type that it had. Every envelope begins with `{"ok":`. */
export const storedAnswer = (body: string, status: number): Response =>
  text(body, status, body.startsWith('{"ok":') ? JSON_TYPE : PROBLEM_TYPE)

export const plain = (body: string, contentType: string, status = 200): Response => text(body, status, contentType)

export const empty = (status: number): Response => ({
  status,
  headers: status === 204 || status === 304 ? {} : { "content-length": "0" },
  body: null
})

export const streamed = (
  body: Readable,
  contentType: string,
  more: Readonly<Record<string, string>> = {}
): Response => ({
  status: 200,
  headers: { "content-type": contentType, ...more },
  body
})

export const readyBytes = (
  body: Uint8Array,
  contentType: string,
  more: Readonly<Record<string, string>> = {}
): Response => ({
  status: 200,
  headers: { "content-type": contentType, "content-length": String(body.length), ...more },
  body
})

export const headOf = (contentType: string): Response => ({
  status: 200,
  headers: { "content-type": contentType },
  body: null
})

export const statusOf = (refusal: Refusal): number => refusal.status ?? ERROR_STATUS[refusal.code]

/** Contract 13: 429 and 503 always say when to try again. */
export const retryAfterOf = (refusal: Refusal): number | undefined => {
  const status = statusOf(refusal)
  return refusal.retryAfter ?? (status === 429 || status === 503 ? 1 : undefined)
}

export const errorBody = ({ code, message, details = {} }: Refusal, docUrls: DocUrls): string =>
  JSON.stringify({ ok: false, error: { code, message, details, doc_url: docUrls[code] } })

const problemBody = (refusal: Refusal, docUrls: DocUrls): string => {
  const status = statusOf(refusal)
  return JSON.stringify({
    type: `urn:hub:error:${refusal.code}`,
    title: STATUS_CODES[status] ?? "Error",
    status,
    detail: refusal.message,
    code: refusal.code,
    details: refusal.details ?? {},
    doc_url: docUrls[refusal.code]
  })
}

const PERSONS: ReadonlySet<string> = new Set(["session_invalid", "login_failed"])

/** A person authenticates with a token, an agent with a signature. */
const schemeOf = ({ endpoint }: Call, { code }: Refusal): string =>
  endpoint?.auth === "human" || PERSONS.has(code) ? "Bearer" : REQUEST_SCHEME_V2

export const refused = (call: Call, refusal: Refusal): Response => {
  call.refusal = refusal
  const retryAfter = retryAfterOf(refusal)
  if (retryAfter !== undefined) call.headers["retry-after"] = String(Math.max(1, Math.ceil(retryAfter)))
  const status = statusOf(refusal)
  if (status === 401) call.headers["www-authenticate"] = schemeOf(call, refusal)
  return call.wantsProblem
    ? text(problemBody(refusal, call.docUrls), status, PROBLEM_TYPE)
    : text(errorBody(refusal, call.docUrls), status, JSON_TYPE)
}
