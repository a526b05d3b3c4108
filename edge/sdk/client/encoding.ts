/** Bytes and their text forms, with functions that every runtime has. */
import { withoutTrailing } from "../../../schemas/text.ts"

const encoder = new TextEncoder()
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
/** The most arguments that a call may have in every runtime. */
const CHUNK = 8192

export type Bytes = Uint8Array<ArrayBuffer>

export const utf8 = (text: string): Bytes => encoder.encode(text) as Bytes

export const toBase64 = (bytes: Uint8Array): string => {
  let binary = ""
  for (let start = 0; start < bytes.length; start += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK))
  return btoa(binary)
}

/**
 * Decodes base64 of either alphabet, with or without padding. `null` if the text is not canonical base64 of `length`
 * bytes.
 */
export const fromBase64 = (text: string, length: number): Bytes | null => {
  const standard = text.replaceAll("-", "+").replaceAll("_", "/")
  if (standard.length > Math.ceil(length / 3) * 4 || !BASE64.test(standard)) return null
  const bare = withoutTrailing(standard, "=")
  if (bare.length % 4 === 1) return null
  const binary = atob(bare.padEnd(Math.ceil(bare.length / 4) * 4, "="))
  if (binary.length !== length) return null
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0))
  return withoutTrailing(toBase64(bytes), "=") === bare ? bytes : null
}

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

export const concat = (...parts: ReadonlyArray<Uint8Array>): Bytes => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Compares in constant time. */
export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false
  let difference = 0
  for (let index = 0; index < a.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0)
  return difference === 0
}
