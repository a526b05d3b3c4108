/** Key pairs of vaults, and boxes that only one key opens (libsodium: X25519, `crypto_box_seal`). */
import sodium from "libsodium-wrappers"
import type { PrivateKey } from "./store.ts"

export const newPair = async (): Promise<PrivateKey> => {
  await sodium.ready
  const { publicKey, privateKey } = sodium.crypto_box_keypair()
  const bytes = Buffer.from(privateKey)
  sodium.memzero(privateKey)
  return { public_key: Buffer.from(publicKey).toString("base64"), bytes }
}

/** `to`: a public key in base64. Returns base64. Throws if it is no such key. */
export const sealedTo = async (bytes: Uint8Array, to: string): Promise<string> => {
  await sodium.ready
  return Buffer.from(sodium.crypto_box_seal(bytes, Buffer.from(to, "base64"))).toString("base64")
}
