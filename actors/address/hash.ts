/** The keyed hash under which an e-mail address is known: without the service's seed nobody tells whose it is. */
import { createHmac, hkdfSync } from "node:crypto"

/** 128 bits, in hex. */
const HASH_CHARS = 32

/** `email`: in its one spelling (`normalEmail`). */
export const addressHasher = (seed: Uint8Array): ((email: string) => string) => {
  const key = new Uint8Array(hkdfSync("sha256", seed, new Uint8Array(0), "hub addresses", 32))
  return (email) => createHmac("sha256", key).update(email).digest("hex").slice(0, HASH_CHARS)
}
