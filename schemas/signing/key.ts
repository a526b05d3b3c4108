/** Public keys: their text forms, and the hub id that is derived from one (spec 2.1, 5.1). */
import { createHash } from "node:crypto"
import { withoutTrailing } from "../text.ts"

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/**
 * Decodes base64 in either alphabet, with or without padding, of exactly `length` bytes; `null` for anything else. It
 * is strict: wrong characters, a wrong length or bits beyond the last byte are refused, so that a value has only one
 * form in each alphabet.
 */
export const decodeBase64 = (text: string, length: number): Uint8Array | null => {
  if (text.length > Math.ceil(length / 3) * 4) return null
  const bytes = Buffer.from(text, "base64")
  if (bytes.length !== length) return null
  // The most common form is tested first.
  if (bytes.toString("base64") === text) return bytes
  if (!BASE64.test(text)) return null
  const canonical = bytes.toString("base64url")
  return withoutTrailing(text, "=").replaceAll("+", "-").replaceAll("/", "_") === canonical ? bytes : null
}

export const encodeBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")

/** The hub id: `hx` and the first 24 hex characters of the sha256 of the raw key (spec 2.1). */
export const hubIdOf = (publicKey: Uint8Array): string =>
  `hx${createHash("sha256").update(publicKey).digest("hex").slice(0, 24)}`

export const HUB_ID_PATTERN = /^hx[0-9a-f]{24}$/
