/** What is printed. Text that others wrote cannot drive the terminal, and no secret is shown unless it is asked for. */
import { harmless } from "../../../schemas/printed.ts"
import { isHubError } from "../client.ts"
import { Fault } from "./fault.ts"

const SECRET = /^whsec_/
const HIDDEN = "(hidden: --show-secret shows it)"
const oneLine = (text: string): string => harmless(text.replaceAll(/\s+/g, " ").trim())

/** The first secret in what an operation gave. */
export const secretIn = (value: unknown): string | undefined => {
  if (typeof value === "string") return SECRET.test(value) ? value : undefined
  if (typeof value !== "object" || value === null) return undefined
  for (const inner of Object.values(value)) {
    const found = secretIn(inner)
    if (found !== undefined) return found
  }
  return undefined
}

const hiding = (_name: string, value: unknown): unknown =>
  typeof value === "string" && SECRET.test(value) ? HIDDEN : value

/** Escapes of JSON for what is not printable: the text stays the same value. */
export const jsonText = (value: unknown, showSecret: boolean, indent?: number): string =>
  harmless(JSON.stringify(value, showSecret ? undefined : hiding, indent) ?? "null")

export interface ErrorLine {
  readonly text: string
  readonly status: number
}

const describe = (
  error: unknown
): {
  readonly code: string
  readonly message: string
  readonly status: number
  readonly retryAfter?: number
  readonly requestId?: string
} => {
  if (error instanceof Fault) return { code: error.code, message: error.message, status: error.status }
  if (!isHubError(error))
    return { code: "internal", message: error instanceof Error ? error.message : String(error), status: 1 }
  return {
    code: error.code,
    message: error.message,
    status: error.code === "invalid_argument" ? 2 : 1,
    ...(error.retryAfter === null ? {} : { retryAfter: error.retryAfter }),
    ...(error.requestId === null ? {} : { requestId: error.requestId })
  }
}

/** One line, in words or as JSON. */
export const errorLine = (error: unknown, json: boolean): ErrorLine => {
  const { code, message, status, retryAfter, requestId } = describe(error)
  const details = isHubError(error) ? error.details : {}
  if (json)
    return {
      status,
      text: jsonText(
        { error: { code, message, details, retry_after: retryAfter ?? null, request_id: requestId ?? null } },
        false
      )
    }
  const again = retryAfter === undefined ? "" : ` (again in ${retryAfter} s)`
  const request = requestId === undefined || (isHubError(error) && error.status < 500) ? "" : ` [request ${requestId}]`
  return { status, text: oneLine(`hub-agent: ${code}: ${message}${again}${request}`) }
}
