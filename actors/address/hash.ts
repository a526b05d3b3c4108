/**
 * Hashes e-mail addresses with a key, and seals data under a key that depends on an address. Without the service's
 * seed, a hash cannot be compared with an address.
 */
import { createHmac, hkdfSync } from "node:crypto"
import { Sealer } from "../log/seal.ts"

/** 128 bits in hexadecimal. */
const HASH_CHARS = 32

/** `email`: the normalized address (`normalEmail`). */
export const addressHasher = (seed: Uint8Array): ((email: string) => string) => {
  const key = new Uint8Array(hkdfSync("sha256", seed, new Uint8Array(0), "hub addresses", 32))
  return (email) => createHmac("sha256", key).update(email).digest("hex").slice(0, HASH_CHARS)
}

/** Seals data that belongs to an address. Opening it requires the service's seed and the address itself. */
export const addressSealer =
  (seed: Uint8Array) =>
  (email: string): Sealer =>
    new Sealer(new Uint8Array(hkdfSync("sha256", seed, Buffer.from(email), "hub address", 32)), "hub left behind")
