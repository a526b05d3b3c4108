/**
 * Decodes base64 into an existing array, with functions that every runtime has. A directory contains a key for each
 * agent, so no object is made for a key.
 */
import { SIGNATURE_BYTES } from "../../../schemas/signing/ed25519.ts"

/** The value of each character code in either base64 alphabet; 255 for other characters. */
const SEXTETS = /* @__PURE__ */ (() => {
  const table = new Uint8Array(128).fill(255)
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  for (let value = 0; value < 62; value++) table[letters.charCodeAt(value)] = value
  for (const [letter, value] of [
    ["+", 62],
    ["-", 62],
    ["/", 63],
    ["_", 63]
  ] as const)
    table[letter.charCodeAt(0)] = value
  return table
})()

/**
 * Decodes base64 in either alphabet, with or without padding, if it has exactly as many bytes as `into`. Returns
 * `false` otherwise. Bits beyond the last byte must be zero, so that a value has only one form in each alphabet.
 */
export const decodeBase64 = (codes: Uint8Array, length: number, into: Uint8Array): boolean => {
  let end = length
  while (end > 0 && length - end < 2 && codes[end - 1] === 61) end--
  if (end !== Math.ceil((into.length * 4) / 3)) return false
  let bits = 0
  let held = 0
  let at = 0
  for (let index = 0; index < end; index++) {
    const value = SEXTETS[codes[index] as number]
    if (value === undefined || value === 255) return false
    held = (held << 6) | value
    bits += 6
    if (bits < 8) continue
    bits -= 8
    into[at++] = (held >>> bits) & 255
    held &= (1 << bits) - 1
  }
  return held === 0
}

/** The length of a signature in base64 with padding. */
const SIGNATURE_CHARS_MAX = Math.ceil(SIGNATURE_BYTES / 3) * 4

/** Shared by all calls: it is filled and read without waiting in between. */
const CODES = new Uint8Array(SIGNATURE_CHARS_MAX)

export const decodeInto = (text: string, into: Uint8Array): boolean => {
  if (text.length > CODES.length) return false
  for (let index = 0; index < text.length; index++) CODES[index] = Math.min(text.charCodeAt(index), 255)
  return decodeBase64(CODES, text.length, into)
}

export const decodeText = (text: string, bytes: number): Uint8Array | null => {
  const into = new Uint8Array(bytes)
  return decodeInto(text, into) ? into : null
}
