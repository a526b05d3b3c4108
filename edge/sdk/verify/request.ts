/** Reads a request in any of the supported forms. */
import type { CheckOptions, FetchRequest, HeaderRecord, HeadersLike, PlainRequest } from "./interface.ts"
import { misuse } from "./misuse.ts"

export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: unknown
}

export interface ProofHeaders {
  readonly timestamp: string
  readonly nonce: string
  readonly signature: string
}

export const readRequest = (request: FetchRequest | PlainRequest, options: CheckOptions | undefined): Request => {
  if (typeof request !== "object" || request === null)
    throw misuse("check() takes a Request, or { method, path, headers }")
  const { method, headers } = request
  if (typeof method !== "string") throw misuse("`method` must be a string")
  if (typeof headers !== "object" || headers === null) throw misuse("`headers` must be an object")
  const given = options?.path ?? (request as PlainRequest).path
  if (typeof given === "string") return { method, headers, path: given }
  const { url } = request as FetchRequest
  if (typeof url !== "string") throw misuse("`path` must be a string: the request target as sent")
  return { method, headers, path: targetOf(url) }
}

/**
 * The path and query of an absolute address, unchanged. Other texts are request targets already, like Node's
 * `request.url`.
 */
const targetOf = (url: string): string => {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(url)
  if (scheme === null) return url
  const fragment = url.indexOf("#")
  const whole = fragment === -1 ? url : url.slice(0, fragment)
  const path = whole.slice(scheme[0].length).search(/[/?]/)
  const target = path === -1 ? "" : whole.slice(scheme[0].length + path)
  return target.startsWith("/") ? target : `/${target}`
}

/** The value of a header that is repeated or not a text. It matches nothing. */
const UNUSABLE = "\0"

const textOf = (value: unknown): string | null => {
  if (value === undefined || value === null) return null
  const single: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  return typeof single === "string" ? single : UNUSABLE
}

export const HEADER_NAMES = ["hub-id", "hub-timestamp", "hub-nonce", "hub-signature", "user-agent"]
export const WEB_BOT_AUTH_HEADERS = ["signature-agent", "signature-input"]
export const PROOF_HEADERS = [...HEADER_NAMES, "signature", ...WEB_BOT_AUTH_HEADERS]
const NAME_CHARS_MAX = 16

/** Header values in the order of `names`, with `null` for missing ones. Header names may have any case. */
export const readFields = (headers: unknown, names: ReadonlyArray<string>): Array<string | null> => {
  const get = (headers as HeadersLike).get
  if (typeof get === "function") return names.map((name) => textOf(get.call(headers, name) ?? undefined))
  const found: Array<string | null> = names.map(() => null)
  for (const name of Object.keys(headers as object)) {
    const at = name.length > NAME_CHARS_MAX ? -1 : names.indexOf(name.toLowerCase())
    if (at === -1) continue
    const text = textOf((headers as HeaderRecord)[name])
    if (text !== null) found[at] = found[at] === null ? text : UNUSABLE
  }
  return found
}
