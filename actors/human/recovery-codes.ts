/**
 * Recovery codes for people who have lost their authenticator app: `K7D3M-9QXWT`, on paper. Each works once.
 *
 * Invariants
 *  - The account has only hashes. They include the account, so that nobody can see whether two accounts have the same
 *    code.
 *  - A code has 50 bits. This would be too little if the hashes were public, but it is enough with a few tries an hour.
 *    The hashes are as secret as the rest of the account's log.
 *  - For input in the form of a code, comparing takes the same time whichever code matches, and if none does.
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

/** Uses whole bits of each byte, so that all characters are equally likely. */
const newCode = (): string => Array.from(randomBytes(CODE_CHARS), (byte) => ALPHABET[byte & ALPHABET_MASK]).join("")

export interface RecoveryCodes {
  readonly codes: ReadonlyArray<string>
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

/** Normalizes a typed code; `null` if it cannot be a code. */
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
