/**
 * Reads the four headers of a signed request (spec 5.1). Checks their form and the timestamp's skew, but not the
 * signature.
 */
import type { IncomingHttpHeaders } from "node:http"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from "../../schemas/signing/ed25519.ts"
import { decodeBase64, encodeBase64 } from "../../schemas/signing/key.ts"
import { NONCE_PATTERN, TIMESTAMP_PATTERN } from "../../schemas/signing/request.ts"

const SIGNATURE_HEADERS = ["X-Hub-Key", "X-Hub-Timestamp", "X-Hub-Nonce", "X-Hub-Signature"] as const

export interface SignatureHeaders {
  readonly key: Uint8Array
  /** Padded standard base64, whatever form the header had. */
  readonly publicKey: string
  readonly timestamp: string
  readonly nonce: string
  /**
   * `null` if it is not base64 of 64 bytes. This counts as a bad signature, not as a malformed header (spec 7 has no
   * code for that).
   */
  readonly signature: Uint8Array | null
}

export type ReadHeaders =
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "signed"; readonly headers: SignatureHeaders }

const MILLISECONDS = /^[0-9]{12,14}$/

export const NO_SIGNATURE: ReadHeaders = { kind: "none" }

const refused = (
  code:
    | "auth_headers_incomplete"
    | "auth_invalid_key"
    | "auth_invalid_timestamp"
    | "auth_invalid_nonce"
    | "auth_timestamp_skew",
  message: string,
  details: Readonly<Record<string, unknown>>
): ReadHeaders => ({
  kind: "refused",
  refusal: refusal(code, message, details)
})

const textOf = (value: string | Array<string> | undefined): string =>
  typeof value === "string" ? value.trim() : (value?.join(",") ?? "")

export const readSignatureHeaders = (
  headers: IncomingHttpHeaders,
  nowSeconds: number,
  skewSeconds: number
): ReadHeaders => {
  const key = textOf(headers["x-hub-key"])
  const timestamp = textOf(headers["x-hub-timestamp"])
  const nonce = textOf(headers["x-hub-nonce"])
  const signature = textOf(headers["x-hub-signature"])
  if (key === "" && timestamp === "" && nonce === "" && signature === "") return NO_SIGNATURE
  const values = [key, timestamp, nonce, signature]
  const missing = SIGNATURE_HEADERS.filter((_, index) => values[index] === "")
  if (missing.length > 0) {
    return refused("auth_headers_incomplete", `A signed request has four headers; missing: ${missing.join(", ")}.`, {
      missing
    })
  }
  const keyBytes = decodeBase64(key, PUBLIC_KEY_BYTES)
  if (keyBytes === null) {
    return refused(
      "auth_invalid_key",
      `X-Hub-Key must be base64 of the ${PUBLIC_KEY_BYTES} bytes of an Ed25519 public key.`,
      { header: "X-Hub-Key" }
    )
  }
  if (!TIMESTAMP_PATTERN.test(timestamp)) {
    return refused("auth_invalid_timestamp", "X-Hub-Timestamp must be unix seconds, digits only.", {
      header: "X-Hub-Timestamp",
      server_time: nowSeconds,
      ...(MILLISECONDS.test(timestamp) ? { hint: "This is a time in milliseconds; send seconds." } : {})
    })
  }
  if (Math.abs(Number(timestamp) - nowSeconds) > skewSeconds) {
    return refused(
      "auth_timestamp_skew",
      `X-Hub-Timestamp lies more than ${skewSeconds} seconds from the server's clock.`,
      { server_time: nowSeconds, timestamp: Number(timestamp), max_skew_seconds: skewSeconds }
    )
  }
  if (!NONCE_PATTERN.test(nonce)) {
    return refused("auth_invalid_nonce", "X-Hub-Nonce must be 8 to 128 characters of A-Z a-z 0-9 _ - = . : + /", {
      header: "X-Hub-Nonce"
    })
  }
  return {
    kind: "signed",
    headers: {
      key: keyBytes,
      publicKey: encodeBase64(keyBytes),
      timestamp,
      nonce,
      signature: decodeBase64(signature, SIGNATURE_BYTES)
    }
  }
}

export const unsigned = (endpoint: string): Refusal =>
  endpoint === "registration.register"
    ? refusal("signature_required", "Step 3 must be signed with the key of step 1.", {
        headers: ["X-Hub-Key", "X-Hub-Timestamp", "X-Hub-Nonce", "X-Hub-Signature"]
      })
    : refusal("authentication_required", "This endpoint needs a signed request.", {
        headers: ["X-Hub-Key", "X-Hub-Timestamp", "X-Hub-Nonce", "X-Hub-Signature"]
      })
