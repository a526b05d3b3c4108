/** Seals bytes with AES-256-GCM. The result is nonce, tag and ciphertext. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The bytes that sealing adds. */
const SEAL_BYTES = NONCE_BYTES + TAG_BYTES

/** A new key in base64url. */
export const newKey = (): string => randomBytes(KEY_BYTES).toString("base64url")

export const sealBytes = (bytes: Uint8Array, key: string): Uint8Array => {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv("aes-256-gcm", Buffer.from(key, "base64url"), nonce)
  const box = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), box])
}

/** Throws if the bytes are not the result of sealing with this key. */
export const openBytes = (bytes: Uint8Array, key: string): Uint8Array => {
  const decipher = createDecipheriv("aes-256-gcm", Buffer.from(key, "base64url"), bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, SEAL_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(SEAL_BYTES)), decipher.final()])
}
