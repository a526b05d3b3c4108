/** The string that an agent signs for each request (spec 5.1). Pure: the caller computes the body's hash. */

export const REQUEST_SCHEME_V2 = "HUB-V2"
const REQUEST_SCHEME_V1 = "HUB-V1"

export interface RequestToSign {
  /** In any case. It is signed in upper case. */
  readonly method: string
  /** The service's host name, normalized by `normaliseHost`. */
  readonly host: string
  /** The path from `/api/v1` on, with the query, exactly as sent. */
  readonly path: string
  /** Unix seconds, exactly as in the header. */
  readonly timestamp: string
  readonly nonce: string
  /** Lowercase hex sha256 of the raw body, or of the empty string if there is none. */
  readonly bodySha256: string
}

export const requestStringV2 = (request: RequestToSign): string =>
  `${REQUEST_SCHEME_V2}\n${request.method.toUpperCase()}\n${request.host}\n${request.path}\n` +
  `${request.timestamp}\n${request.nonce}\n${request.bodySha256}`

/** Version 1 had no host line. It ended on 2026-10-24 (spec 9). */
export const requestStringV1 = (request: Omit<RequestToSign, "host">): string =>
  `${REQUEST_SCHEME_V1}\n${request.method.toUpperCase()}\n${request.path}\n${request.timestamp}\n${request.nonce}\n${request.bodySha256}`

export const EMPTY_BODY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/** 9 to 11 digits, as the identity headers have it (spec 4.7). */
export const TIMESTAMP_PATTERN = /^[0-9]{9,11}$/
/** spec 5.1: 8 to 128 of the nonce alphabet. */
export const NONCE_PATTERN = /^[A-Za-z0-9_\-=.:+/]{8,128}$/

/**
 * The host line (contract 0): lower case, A-label, no trailing dot, no `:443` or `:80`, any other port kept. `null` if
 * the text is not a host name.
 */
export const normaliseHost = (host: string): string | null => {
  let url: URL
  try {
    url = new URL(`http://${host}`)
  } catch {
    return null
  }
  if (url.username !== "" || url.password !== "" || url.pathname !== "/" || url.search !== "" || url.hash !== "")
    return null
  const name = url.hostname.endsWith(".") ? url.hostname.slice(0, -1) : url.hostname
  if (name === "") return null
  return url.port === "" || url.port === "443" ? name : `${name}:${url.port}`
}
