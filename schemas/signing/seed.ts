/** The service's own key pair, made of the 32-byte seed of `HUB_SERVER_KEY` (contract 15). */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto"
import { decodeBase64 } from "./key.ts"

export const SEED_BYTES = 32

/** The bytes before the seed in PKCS #8 of an Ed25519 key (RFC 8410). */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex")

/** Base64 in either alphabet. Surrounding white space is ignored; `null` for anything that is not 32 bytes. */
export const parseSeed = (text: string): Uint8Array | null => decodeBase64(text.trim(), SEED_BYTES)

/** The form in which a seed is kept in a file. */
export const formatSeed = (seed: Uint8Array): string => `${Buffer.from(seed).toString("base64")}\n`

export interface KeyPair {
  readonly privateKey: KeyObject
  /** Raw 32 bytes. */
  readonly publicKey: Uint8Array
}

export const keyPairOfSeed = (seed: Uint8Array): KeyPair => {
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" })
  const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" })
  return { privateKey, publicKey: spki.subarray(spki.length - 32) }
}
