/** Proof of work of registration (spec 4.3 step 2): hex sha256 of prefix + nonce starts with `difficulty` zeros. */
import { createHash } from "node:crypto"

export const POW_NONCE_MAX_CHARS = 128
export const POW_NONCE_PATTERN = /^[\x21-\x7e]{1,128}$/

export const powHash = (prefix: string, nonce: string): string =>
  createHash("sha256")
    .update(prefix + nonce, "utf8")
    .digest("hex")

export const powHolds = (hash: string, difficulty: number): boolean => {
  for (let index = 0; index < difficulty; index++) if (hash.charCodeAt(index) !== 48) return false
  return true
}
