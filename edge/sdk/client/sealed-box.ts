/**
 * Sealed boxes (libsodium's `crypto_box_seal`, X25519). Anybody with the public key can make one, and only the private
 * key opens it.
 *
 * Invariants
 *  - The library is loaded when the first box is made. No other part of the client needs it.
 *  - The plain bytes are wiped after sealing. The strings that they were made of cannot be wiped.
 */

const BOX_PREFIX = "hxv1."
const KEY_BYTES = 32
/** The bytes that sealing adds: a one-time key and a tag. */
const OVERHEAD_BYTES = 48

/** The length of the ciphertext of `bytes` bytes. */
export const sealedChars = (bytes: number): number => BOX_PREFIX.length + 4 * Math.ceil((bytes + OVERHEAD_BYTES) / 3)

/** Makes a sealed box and wipes `plain`. Throws a `TypeError` if `publicKey` is not the base64 of 32 bytes. */
export const sealedBox = async (publicKey: string, plain: Uint8Array): Promise<string> => {
  const { default: sodium } = await import("libsodium-wrappers")
  await sodium.ready
  const { ORIGINAL } = sodium.base64_variants
  try {
    const key = keyIn(() => sodium.from_base64(publicKey, ORIGINAL))
    return BOX_PREFIX + sodium.to_base64(sodium.crypto_box_seal(plain, key), ORIGINAL)
  } finally {
    sodium.memzero(plain)
  }
}

const keyIn = (read: () => Uint8Array): Uint8Array => {
  const fault = new TypeError("public_key must be base64 of 32 bytes")
  try {
    const key = read()
    if (key.length === KEY_BYTES) return key
  } catch {
    throw fault
  }
  throw fault
}
