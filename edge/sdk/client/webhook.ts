/**
 * Verifies that a delivery to your webhook comes from the service (Standard Webhooks 1.0).
 *
 * Each delivery has two kinds of signatures: `v1`, an HMAC with the secret that you share with the service, and `v1a`,
 * Ed25519 with the service's own key. One valid signature is enough. There may be several of a kind: after a change of
 * the secret, the old one signs as well for a day. The signature covers the raw body, so verify it before you parse it.
 */
import { webhookString } from "../../../schemas/signing/webhook.ts"
import { hmacSha256, PUBLIC_KEY_BYTES, SIGNATURE_BYTES, verifyEd25519 } from "./crypto.ts"
import { type Bytes, equalBytes, fromBase64, utf8 } from "./encoding.ts"
import { clientError, type HubError, invalid } from "./errors.ts"

const TOLERANCE_SECONDS = 300
const SECRET_PREFIX = "whsec_"
const SECRET_BYTES = 32
const HMAC_BYTES = 32
/** The most signatures in one header; the service sends three at most. */
const SIGNATURES_MAX = 16
const ID_MAX_CHARS = 256
const UNIX_SECONDS = /^\d{9,11}$/

export interface WebhookEvent {
  readonly type: string
  readonly timestamp: string
  readonly notification_id: number
  readonly agent: { readonly id: string; readonly hx_id: string; readonly handle: string }
  readonly payload: Readonly<Record<string, unknown>>
}

type HeaderSource =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface WebhookToVerify {
  /** Headers of the request: `Headers`, or an object of names in any letter case. */
  readonly headers: HeaderSource
  /** The body as it arrived, byte for byte. */
  readonly body: string | Uint8Array
  /** The secret `whsec_…` that registration returned. */
  readonly secret?: string
  /** The service's public key, base64, from its discovery document. */
  readonly serverPublicKey?: string
  /**
   * The allowed age of a delivery in seconds, in both directions. It keeps others from sending a delivery again later.
   */
  readonly toleranceSeconds?: number
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

const refused = (reason: string, message: string): HubError =>
  clientError("webhook_invalid", message, { details: { reason } })

const headerOf = (headers: HeaderSource, name: string): string => {
  const found =
    typeof headers["get"] === "function"
      ? (headers["get"] as (name: string) => string | null)(name)
      : lookUp(headers as Readonly<Record<string, unknown>>, name)
  const value = Array.isArray(found) && found.length === 1 ? found[0] : found
  if (typeof value !== "string" || value === "") throw refused("headers_missing", `the delivery has no ${name}`)
  return value
}

const lookUp = (headers: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]

const secretOf = (text: string): Bytes => {
  const bytes = text.startsWith(SECRET_PREFIX) ? fromBase64(text.slice(SECRET_PREFIX.length), SECRET_BYTES) : null
  if (bytes === null) throw invalid("secret", `must be ${SECRET_PREFIX} and base64 of ${SECRET_BYTES} bytes`)
  return bytes
}

const serverKeyOf = (text: string): Bytes => {
  const bytes = fromBase64(text, PUBLIC_KEY_BYTES)
  if (bytes === null) throw invalid("serverPublicKey", `must be base64 of ${PUBLIC_KEY_BYTES} bytes`)
  return bytes
}

const signaturesIn = (header: string): ReadonlyArray<readonly [version: string, signature: string]> =>
  header.split(" ", SIGNATURES_MAX).map((part) => {
    const comma = part.indexOf(",")
    return [part.slice(0, comma), part.slice(comma + 1)]
  })

const anyHolds = async (
  header: string,
  message: Bytes,
  secret: Bytes | null,
  serverKey: Bytes | null
): Promise<boolean> => {
  const expected = secret === null ? null : await hmacSha256(secret, message)
  for (const [version, text] of signaturesIn(header)) {
    if (version === "v1" && expected !== null) {
      const given = fromBase64(text, HMAC_BYTES)
      if (given !== null && equalBytes(given, expected)) return true
    }
    if (version === "v1a" && serverKey !== null) {
      const given = fromBase64(text, SIGNATURE_BYTES)
      if (given !== null && (await verifyEd25519(serverKey, message, given))) return true
    }
  }
  return false
}

const eventOf = (body: string): WebhookEvent => {
  let event: unknown
  try {
    event = JSON.parse(body)
  } catch {
    throw refused("body", "the delivery is no JSON")
  }
  if (typeof event !== "object" || event === null || !("type" in event) || typeof event.type !== "string")
    throw refused("body", "the delivery is no event")
  return event as WebhookEvent
}

/**
 * Returns the event of a genuine delivery. Throws `HubError` with `webhook_invalid` and `details.reason` for any other.
 */
export const verifyWebhook = async (delivery: WebhookToVerify): Promise<WebhookEvent> => {
  const secret = delivery.secret === undefined ? null : secretOf(delivery.secret)
  const serverKey = delivery.serverPublicKey === undefined ? null : serverKeyOf(delivery.serverPublicKey)
  if (secret === null && serverKey === null) throw invalid("secret", "or serverPublicKey must be given")
  const id = headerOf(delivery.headers, "webhook-id")
  const timestamp = headerOf(delivery.headers, "webhook-timestamp")
  const signatures = headerOf(delivery.headers, "webhook-signature")
  if (id.length > ID_MAX_CHARS || !UNIX_SECONDS.test(timestamp))
    throw refused("timestamp_invalid", "webhook-timestamp is no time in unix seconds")
  const age = Math.floor((delivery.now ?? Date.now)() / 1000) - Number(timestamp)
  if (Math.abs(age) > (delivery.toleranceSeconds ?? TOLERANCE_SECONDS))
    throw refused("timestamp_expired", `the delivery is ${Math.abs(age)} seconds ${age > 0 ? "old" : "ahead"}`)
  const body =
    typeof delivery.body === "string"
      ? delivery.body
      : new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(delivery.body)
  if (!(await anyHolds(signatures, utf8(webhookString({ id, timestamp, body })), secret, serverKey)))
    throw refused("signature", "no signature of the delivery holds")
  return eventOf(body)
}
