/**
 * The destination of traces, with OpenTelemetry's own setting names. Without `OTEL_EXPORTER_OTLP_ENDPOINT` there are no
 * traces. Problems never repeat a value, because an address or a header may contain a secret.
 */
import { withoutTrailing } from "./text.ts"
export interface TraceSettings {
  /** Full address of the collector's endpoint for traces. */
  readonly url: string
  /** Headers for the collector, which contain secrets. */
  readonly headers: Readonly<Record<string, string>>
  /** Share of the requests that are traced, 0 to 1. */
  readonly ratio: number
  /** The name of the service; `null` for the process's own name. */
  readonly service: string | null
}

export type TraceSettingsResult =
  | { readonly ok: true; readonly settings: TraceSettings | null }
  | { readonly ok: false; readonly problem: string }

type Env = Readonly<Record<string, string | undefined>>

const RATIO = { development: 1, production: 0.01 } as const
const TRACES_PATH = "/v1/traces"
const NAME_MAX_CHARS = 80

export const readTraceSettings = (env: Env, mode: keyof typeof RATIO): TraceSettingsResult => {
  const endpoint = given(env, "OTEL_EXPORTER_OTLP_ENDPOINT")
  const url = endpoint === null ? null : tracesUrl(endpoint)
  if (url === "")
    return problem(
      "OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address without a user, a password, a query or a fragment"
    )
  const headers = headersOf(given(env, "OTEL_EXPORTER_OTLP_HEADERS") ?? "")
  if (headers === null)
    return problem("OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs of HTTP headers with commas between")
  const ratioText = given(env, "OTEL_TRACES_SAMPLER_ARG")
  const ratio = ratioText === null ? RATIO[mode] : Number(ratioText)
  if (!(ratio >= 0 && ratio <= 1)) return problem("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1")
  const service = given(env, "OTEL_SERVICE_NAME")
  if (service !== null && (service.length > NAME_MAX_CHARS || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(service))) {
    return problem(`OTEL_SERVICE_NAME must be one line of at most ${NAME_MAX_CHARS} characters`)
  }
  return { ok: true, settings: url === null ? null : { url, headers, ratio, service } }
}

const problem = (text: string): TraceSettingsResult => ({ ok: false, problem: text })

const given = (env: Env, name: string): string | null => {
  const value = env[name]?.trim()
  return value === undefined || value === "" ? null : value
}

/** Empty if the text is no such address. */
const tracesUrl = (endpoint: string): string => {
  if (!URL.canParse(endpoint)) return ""
  const { protocol, username, password, search, hash, origin, pathname } = new URL(endpoint)
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== "") return ""
  return `${origin}${withoutTrailing(pathname, "/")}${TRACES_PATH}`
}

/** A header's name. Headers of the connection or the content may not be set. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
const OWN_HEADER =
  /^(connection|content-(length|type|encoding)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i
const HEADER_VALUE = /^[\x20-\x7e]{0,8192}$/

const headersOf = (text: string): Readonly<Record<string, string>> | null => {
  const headers: Record<string, string> = {}
  for (const pair of text.split(",").filter((part) => part.trim() !== "")) {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/s.exec(pair.trim()) ?? []
    const decoded = unescaped(value.trim())
    if (
      !HEADER_NAME.test(name.trim()) ||
      OWN_HEADER.test(name.trim()) ||
      decoded === null ||
      !HEADER_VALUE.test(decoded)
    )
      return null
    headers[name.trim().toLowerCase()] = decoded
  }
  return headers
}

const unescaped = (value: string): string | null => {
  try {
    return decodeURIComponent(value)
  } catch {
    return null
  }
}
