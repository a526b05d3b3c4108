/**
 * Recovery codes for people who have lost their authenticator app: `K7D3M-9QXWT`, on paper. Each works once.
 *
 * Invariants
 *  - Only hashes are kept, with the account in them: the same code in two accounts is not seen to be the same.
 *  - A code has 50 bits. That is little for a hash that anybody can try, and much for one behind a few tries an hour.
 *    Hashes are as secret as the rest of the account's log.
 *  - Comparing takes the same time whichever code fits, or none.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

const RECOVERY_CODES = 10
const CODE_CHARS = 10
const GROUP_CHARS = 5
/** Crockford's alphabet: without I, L and O, which look like digits, and without U. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const ALPHABET_MASK = ALPHABET.length - 1

const hashOf = (account: string, code: string): string =>
  createHash("sha256").update(`HUB-RECOVERY-CODE-V1\n${account}\n${code}`).digest("hex")

/** Whole bits of each byte, so that every character is as likely as the others. */
const newCode = (): string => Array.from(randomBytes(CODE_CHARS), (byte) => ALPHABET[byte & ALPHABET_MASK]).join("")

export interface RecoveryCodes {
  /** Shown once. */
  readonly codes: ReadonlyArray<string>
  /** To be stored. */
  readonly hashes: ReadonlyArray<string>
}

export const newRecoveryCodes = (account: string): RecoveryCodes => {
  const codes = Array.from({ length: RECOVERY_CODES }, newCode)
  return {
    codes: codes.map((code) => `${code.slice(0, GROUP_CHARS)}-${code.slice(GROUP_CHARS)}`),
    hashes: codes.map((code) => hashOf(account, code))
  }
}

const TYPED_MAX_CHARS = 40
const BETWEEN = /[\s\p{Pd}]/gu
const CODE = /^[0-9A-HJKMNP-TV-Z]{10}$/

/** As it was meant, however it was typed; `null` if it can be none. */
const meant = (typed: string): string | null => {
  if (typed.length > TYPED_MAX_CHARS) return null
  const plain = typed.replaceAll(BETWEEN, "").toUpperCase().replaceAll("O", "0").replaceAll(/[IL]/g, "1")
  return CODE.test(plain) ? plain : null
}

/** The stored hash that a code matches, so that it can be removed; `null` if none matches. */
export const recoveryHash = (account: string, typed: string, hashes: ReadonlyArray<string>): string | null => {
  const code = meant(typed)
  if (code === null) return null
  const hash = Buffer.from(hashOf(account, code))
  let found: string | null = null
  for (const kept of hashes) {
    const bytes = Buffer.from(kept)
    if (bytes.length === hash.length && timingSafeEqual(bytes, hash)) found = kept
  }
  return found
}
