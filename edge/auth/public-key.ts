/**
 * Checks the keys that may be registered (contract 0): 32 bytes that are the one canonical encoding of a point, and not
 * of small order. With other keys one signature could verify for many messages, or one identity could have several
 * names.
 */
import { Point } from "@noble/ed25519"
import { PUBLIC_KEY_BYTES } from "../../schemas/signing/ed25519.ts"
import { decodeBase64 } from "../../schemas/signing/key.ts"

export type KeyText =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly problem: string }

/** Checks the form of a key only. */
export const readKeyBytes = (text: string): KeyText => {
  const bytes = decodeBase64(text.trim(), PUBLIC_KEY_BYTES)
  return bytes === null
    ? { ok: false, problem: `must be base64 of the ${PUBLIC_KEY_BYTES} bytes of an Ed25519 public key` }
    : { ok: true, bytes }
}

/** Takes milliseconds for a key of the right form, so its sender must be known or counted. */
export const readPublicKey = (text: string): KeyText => {
  const read = readKeyBytes(text)
  if (!read.ok) return read
  const { bytes } = read
  try {
    const point = Point.fromBytes(bytes, false)
    return point.isTorsionFree() && !point.isSmallOrder()
      ? { ok: true, bytes }
      : { ok: false, problem: "must not be a key of small order" }
  } catch {
    return { ok: false, problem: "is no point of Ed25519 in its canonical form" }
  }
}
