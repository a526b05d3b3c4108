/**
 * The work on a signature that the baselines have in common with the service: the same string and the same
 * verification.
 */
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import { EMPTY_BODY_SHA256, requestStringV2 } from "../../schemas/signing/request.ts"

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex")
const keys = new Map<string, KeyObject>()

const keyOf = (text: string): KeyObject => {
  const known = keys.get(text)
  if (known !== undefined) return known
  const key = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, Buffer.from(text, "base64")]),
    format: "der",
    type: "spki"
  })
  keys.set(text, key)
  return key
}

export interface Signed {
  readonly key: string
  readonly nonce: string
}

/** The signer, or `null` if the signature is not valid. */
export const verified = (
  method: string,
  url: string,
  headers: IncomingHttpHeaders,
  body: Buffer | null
): Signed | null => {
  const key = String(headers["x-hub-key"])
  const nonce = String(headers["x-hub-nonce"])
  const bodySha256 = body === null ? EMPTY_BODY_SHA256 : createHash("sha256").update(body).digest("hex")
  const text = requestStringV2({
    method,
    host: headers.host ?? "",
    path: url,
    timestamp: String(headers["x-hub-timestamp"]),
    nonce,
    bodySha256
  })
  const signature = Buffer.from(String(headers["x-hub-signature"]), "base64")
  return verify(null, Buffer.from(text), keyOf(key), signature) ? { key, nonce } : null
}
