/**
 * Codes of an authenticator app (RFC 6238): six digits that change every half minute. They use SHA-1, which all apps
 * support.
 *
 * Invariants
 *  - A code is valid in its own time step and in those before and after it, because clocks differ.
 *  - A used step and all earlier ones are never valid again, so a code that somebody sees being typed is useless.
 *  - For input of six digits, verifying takes the same time whichever step matches, and if none does.
 */
import { timingSafeEqual } from "node:crypto"
import { HOTP, Secret, TOTP } from "otpauth"

/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20
const DIGITS = 6
const PERIOD_SECONDS = 30
const PERIOD_MS = PERIOD_SECONDS * 1000
const WINDOW = [-1, 0, 1]
const ALGORITHM = "SHA1"

/** In base32, as apps expect it. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

/**
 * The URI that an app reads from a QR code. Colons are replaced, because a colon separates the issuer from the account.
 */
export const totpUri = (secret: string, { issuer, address }: { readonly issuer: string; readonly address: string }) =>
  new TOTP({
    issuer: issuer.replaceAll(":", " ").toWellFormed(),
    label: address.replaceAll(":", " ").toWellFormed(),
    secret: Secret.fromBase32(secret),
    algorithm: ALGORITHM,
    digits: DIGITS,
    period: PERIOD_SECONDS
  }).toString()

const SPACES = /\s/g
const CODE = /^\d{6}$/
/** Longer input is refused unread. The bound leaves room for spaces, because apps show codes as `123 456`. */
const TYPED_MAX_CHARS = 20

/** The newest step whose codes may have been used by `at` (Unix ms). */
export const stepAfter = (at: number): number => Math.floor(at / PERIOD_MS) + 1

/** The step to remember as used; `null` for a wrong code. `at`: Unix ms. */
export const verifyTotp = (secret: string, typed: string, at: number, lastStep: number | null): number | null => {
  const code = typed.length > TYPED_MAX_CHARS ? "" : typed.replaceAll(SPACES, "")
  if (!CODE.test(code)) return null
  const now = Math.floor(at / PERIOD_MS)
  const key = Secret.fromBase32(secret)
  let found: number | null = null
  // The last matching step is used. If two steps have the same code, the first one would leave the code valid for the
  // second.
  for (const step of WINDOW.map((offset) => Math.max(now + offset, 0))) {
    const expected = HOTP.generate({ secret: key, algorithm: ALGORITHM, digits: DIGITS, counter: step })
    if (timingSafeEqual(Buffer.from(expected), Buffer.from(code)) && step > (lastStep ?? -1)) found = step
  }
  return found
}
