/** A picture sealed under a key of its own (AES-256-GCM): nonce, tag, and what was sealed. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface SealedPicture {
  readonly bytes: Uint8Array
  /** In base64url. */
  readonly key: string
}

export const sealPicture = (bytes: Uint8Array): SealedPicture => {
  const [key, nonce] = [randomBytes(KEY_BYTES), randomBytes(NONCE_BYTES)]
  const cipher = createCipheriv("aes-256-gcm", key, nonce)
  const box = Buffer.concat([cipher.update(bytes), cipher.final()])
  return { bytes: Buffer.concat([nonce, cipher.getAuthTag(), box]), key: key.toString("base64url") }
}

/** Throws where it is not what was sealed. */
export const openPicture = (bytes: Uint8Array, key: string): Uint8Array => {
  const decipher = createDecipheriv("aes-256-gcm", Buffer.from(key, "base64url"), bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
}
