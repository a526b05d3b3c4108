/** Prints results. Text by others cannot control the terminal, and secrets are shown only if asked for. */
import { harmless } from "../../../schemas/printed.ts"
import { withoutTokens } from "../../../schemas/secret/without-tokens.ts"
import { isHubError } from "../client.ts"
import { Fault } from "./fault.ts"

const SECRET = /^whsec_/
const SOURCE_TOKEN = /^hxs_[0-9a-f]{24}/
const HIDDEN = "(hidden: --show-secret shows it)"
export const oneLine = (text: string): string => harmless(text.replaceAll(/\s+/g, " ").trim())

/**
 * Operations that return a webhook's secret, once. Other answers never do, but text from strangers may look like a
 * secret.
 */
const SECRET_GIVEN_BY: ReadonlySet<string> = new Set(["POST /register", "POST /me/webhook/secret"])

/** `target` is path and query below `/api/v1`. */
export const secretGiven = (method: string, target: string, data: unknown): string | undefined => {
  const [path = ""] = target.split("?")
  if (!SECRET_GIVEN_BY.has(`${method} ${path}`)) return undefined
  if (typeof data !== "object" || data === null || !("webhook_secret" in data)) return undefined
  const { webhook_secret: secret } = data
  return typeof secret === "string" && SECRET.test(secret) ? secret : undefined
}

export interface GivenToken {
  readonly id: number
  readonly token: string
}

/** The token of a vault's source, if the answer contains one. It is returned only once, like the webhook's secret. */
export const sourceTokenGiven = (method: string, target: string, data: unknown): GivenToken | undefined => {
  if (`${method} ${target.split("?")[0]}` !== "POST /vault/sources") return undefined
  if (typeof data !== "object" || data === null || !("token" in data) || !("id" in data)) return undefined
  const { id, token } = data
  return typeof id === "number" && typeof token === "string" && SOURCE_TOKEN.test(token) ? { id, token } : undefined
}

const hiding = (_name: string, value: unknown): unknown =>
  typeof value === "string" && (SECRET.test(value) || SOURCE_TOKEN.test(value)) ? HIDDEN : value

/** Non-printable characters become JSON escapes, so the value stays the same. */
export const jsonText = (value: unknown, showSecret: boolean, indent?: number): string =>
  harmless(JSON.stringify(value, showSecret ? undefined : hiding, indent) ?? "null")

export interface ErrorLine {
  readonly text: string
  readonly status: number
}

export interface Described {
  readonly code: string
  readonly message: string
  /** The exit status of the program. */
  readonly status: number
  readonly details: Readonly<Record<string, unknown>>
  /** The HTTP status; 0 if there was no answer. */
  readonly httpStatus: number
  readonly retryAfter?: number
  readonly requestId?: string
  readonly docUrl?: string
}

export const describe = (error: unknown): Described => {
  const message = withoutTokens(error instanceof Error ? error.message : String(error))
  if (error instanceof Fault)
    return { code: error.code, message, status: error.status, details: error.details, httpStatus: 0 }
  if (!isHubError(error)) {
    return { code: "internal", message, status: 1, details: {}, httpStatus: 0 }
  }
  return {
    code: error.code,
    message,
    status: error.code === "invalid_argument" ? 2 : 1,
    details: error.details,
    httpStatus: error.status,
    ...(error.retryAfter === null ? {} : { retryAfter: error.retryAfter }),
    ...(error.requestId === null ? {} : { requestId: error.requestId }),
    ...(error.docUrl === null ? {} : { docUrl: error.docUrl })
  }
}

export const errorLine = (error: unknown, json: boolean): ErrorLine => {
  const {
    code,
    message,
    status,
    details,
    httpStatus,
    retryAfter = null,
    requestId = null,
    docUrl = null
  } = describe(error)
  if (json)
    return {
      status,
      text: jsonText(
        { error: { code, message, details, retry_after: retryAfter, request_id: requestId, doc_url: docUrl } },
        false
      )
    }
  const again = retryAfter === null ? "" : ` (again in ${retryAfter} s)`
  const request = requestId === null || httpStatus < 500 ? "" : ` [request ${requestId}]`
  return { status, text: oneLine(`hub-agent: ${code}: ${message}${again}${request}`) }
}
