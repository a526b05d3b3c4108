/** One class for all errors: refusals of the service, and faults that this client found. */

/** The client's own codes. An error answer without a code has the code `http_<status>`. */
export const CLIENT_CODES = [
  "invalid_argument",
  "no_key",
  "insecure_address",
  "connection_failed",
  "timed_out",
  "answer_too_large",
  "answer_malformed",
  "unexpected_redirect",
  "too_many_redirects",
  "work_too_hard",
  "answers_late",
  "attestation_malformed",
  "webhook_invalid"
] as const
export type ClientCode = (typeof CLIENT_CODES)[number]

export interface HubErrorParts {
  readonly code: string
  readonly message: string
  readonly status?: number
  readonly details?: Readonly<Record<string, unknown>>
  readonly retryAfter?: number | null
  readonly requestId?: string | null
  readonly docUrl?: string | null
  readonly cause?: unknown
}

export class HubError extends Error {
  /** Programs should decide by this code. */
  readonly code: string
  /** HTTP status; 0 if there was no answer. */
  readonly status: number
  readonly details: Readonly<Record<string, unknown>>
  /** Seconds until another try makes sense; `null` if the service names none. */
  readonly retryAfter: number | null
  /** Tell it to operators when you report a fault of the service. */
  readonly requestId: string | null
  /** The address that explains the code; `null` if the service names none. */
  readonly docUrl: string | null

  constructor(parts: HubErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.name = "HubError"
    this.code = parts.code
    this.status = parts.status ?? 0
    this.details = parts.details ?? {}
    this.retryAfter = parts.retryAfter ?? null
    this.requestId = parts.requestId ?? null
    this.docUrl = parts.docUrl ?? null
  }
}

export const clientError = (
  code: ClientCode,
  message: string,
  more: Omit<HubErrorParts, "code" | "message"> = {}
): HubError => new HubError({ code, message, ...more })

export const invalid = (argument: string, problem: string): HubError =>
  clientError("invalid_argument", `${argument} ${problem}`, { details: { field: argument } })

export const isHubError = (error: unknown, ...codes: ReadonlyArray<string>): error is HubError =>
  error instanceof HubError && (codes.length === 0 || codes.includes(error.code))
