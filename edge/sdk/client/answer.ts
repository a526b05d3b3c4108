/**
 * Reads answers defensively, because the server may be hostile or broken.
 *
 * The body is read up to a limit. Redirects and malformed JSON become errors of this client. A successful answer that
 * is not JSON is returned as text. Messages from the server are shortened.
 */
import { clientError, HubError } from "./errors.ts"

/** The number of characters of an error message that are kept. */
const MESSAGE_MAX_CHARS = 500
const DOC_URL_MAX_CHARS = 500
const CODE = /^[a-z][a-z0-9_]{0,63}$/
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/
const RETRY_AFTER_MAX_SECONDS = 7 * 86_400

export interface Answer<Data = unknown, Meta = unknown> {
  readonly data: Data
  /** Present for lists: `{page, per_page, total, pages}`. */
  readonly meta: Meta
  readonly status: number
  readonly requestId: string | null
  /** True if the service repeats the first answer to a request with the same Idempotency-Key. */
  readonly replayed: boolean
}

/** Reads the whole body as text. Rejects if it is longer than `maxBytes`, by its announced or its real length. */
export const readBounded = async (response: Response, maxBytes: number): Promise<string> =>
  new TextDecoder().decode(await readBytes(response, maxBytes))

const NOTHING = new Uint8Array(0)

/** Reads the whole body as bytes, with the same limit as `readBounded`. */
export const readBytes = async (response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> => {
  const tooLarge = () =>
    clientError("answer_too_large", `the answer has more than ${maxBytes} bytes`, { status: response.status })
  const { body } = response
  if (body === null) return NOTHING
  if (Number(response.headers.get("content-length")) > maxBytes) {
    await body.cancel()
    throw tooLarge()
  }
  const reader = body.getReader()
  const parts: Array<Uint8Array> = []
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read()
    if (done) return joined(parts, bytes)
    bytes += value.length
    if (bytes > maxBytes) {
      await reader.cancel()
      throw tooLarge()
    }
    parts.push(value)
  }
}

const joined = (parts: ReadonlyArray<Uint8Array>, length: number): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The delay of a `Retry-After` header in seconds. The header has seconds or a date; `null` for anything else. */
export const retryAfterOf = (header: string | null, now: number): number | null => {
  if (header === null) return null
  const text = header.trim()
  if (!/^\d{1,9}$|^[A-Z][a-z]+,? /.test(text)) return null
  const seconds = /^\d/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - now) / 1000)
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), RETRY_AFTER_MAX_SECONDS)
}

/** The request id of an answer; `null` if it does not have the form of the service's ids. */
const requestIdOf = ({ headers }: Response): string | null => {
  const id = headers.get("x-request-id")
  return id !== null && REQUEST_ID.test(id) ? id : null
}

/** `undefined` if the text is not JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Makes an error from a refusal. It may be the service's envelope, problem details, or any other text. */
const refusalOf = (response: Response, text: string): HubError => {
  const json = parsed(text)
  const error = isObject(json) ? (isObject(json["error"]) ? json["error"] : json) : {}
  const { code, details, doc_url: docUrl } = error
  const told = error["message"] ?? error["detail"]
  return new HubError({
    code: typeof code === "string" && CODE.test(code) ? code : `http_${response.status}`,
    message:
      typeof told === "string" && told !== ""
        ? told.slice(0, MESSAGE_MAX_CHARS)
        : `the answer has status ${response.status}`,
    status: response.status,
    details: isObject(details) ? details : {},
    retryAfter: retryAfterOf(response.headers.get("retry-after"), Date.now()),
    requestId: requestIdOf(response),
    docUrl: typeof docUrl === "string" && docUrl.length <= DOC_URL_MAX_CHARS ? docUrl : null
  })
}

/** The content type of files. */
const BYTES_TYPE = "application/octet-stream"

/** The data of a successful answer; for a file, its bytes. Throws for redirects, error statuses and malformed JSON. */
export const answerOf = (response: Response, bytes: Uint8Array): Answer => {
  const requestId = requestIdOf(response)
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    throw clientError("unexpected_redirect", "the service's interface never redirects, but this answer does", {
      status: response.status,
      requestId
    })
  }
  const type = response.headers.get("content-type") ?? ""
  const isFile = response.ok && type === BYTES_TYPE
  const text = isFile ? "" : new TextDecoder().decode(bytes)
  if (!response.ok) throw refusalOf(response, text)
  const about = { status: response.status, requestId, replayed: response.headers.get("idempotent-replayed") === "true" }
  if (isFile) return { data: bytes, meta: undefined, ...about }
  const isJson = /\bjson\b/.test(type)
  if (!isJson || text === "") return { data: text, meta: undefined, ...about }
  const json = parsed(text)
  if (json === undefined)
    throw clientError("answer_malformed", "the answer says that it is JSON and is not", {
      status: response.status,
      requestId
    })
  if (isObject(json) && json["ok"] === true && Object.hasOwn(json, "data"))
    return { data: json["data"], meta: json["meta"], ...about }
  return { data: json, meta: undefined, ...about }
}
