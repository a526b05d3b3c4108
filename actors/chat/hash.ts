/**
 * The keyed hash that is used in place of a chat's number. Without the service's seed nobody can tell which chat it is.
 */
import { createHmac, hkdfSync } from "node:crypto"

/** 128 bits in hexadecimal. */
const HASH_CHARS = 32

export const chatHasher = (seed: Uint8Array): ((chat: string) => string) => {
  const key = new Uint8Array(hkdfSync("sha256", seed, new Uint8Array(0), "hub chats", 32))
  return (chat) => createHmac("sha256", key).update(chat).digest("hex").slice(0, HASH_CHARS)
}
