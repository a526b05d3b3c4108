/**
 * Codes of an authenticator app (RFC 6238): six digits that change every half minute. They use SHA-1, which all apps
 * support.
 *
 * Invariants
 *  - A code is good for its own step and those before and after it, since clocks differ.
 *  - A step that was used, and all before it, is never good again: whoever sees a code being typed has nothing of it.
 *  - Verifying takes the same time whichever step fits, or none.
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

/** The URI that an app reads from a QR code. A colon would part the issuer from the account. */
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
/** Apps show `123 456`. */
const TYPED_MAX_CHARS = 20

/** The newest step whose codes may have been used by `at` (Unix ms). */
export const stepAfter = (at: number): number => Math.floor(at / PERIOD_MS) + 1

/** The step to be remembered as used; `null` for a wrong code. `at` in milliseconds. */
export const verifyTotp = (secret: string, typed: string, at: number, lastStep: number | null): number | null => {
  const code = typed.length > TYPED_MAX_CHARS ? "" : typed.replaceAll(SPACES, "")
  if (!CODE.test(code)) return null
  const now = Math.floor(at / PERIOD_MS)
  const key = Secret.fromBase32(secret)
  let found: number | null = null
  // The last one that fits: were it the first of two with the same code, that would be good a second time.
  for (const step of WINDOW.map((offset) => Math.max(now + offset, 0))) {
    const expected = HOTP.generate({ secret: key, algorithm: ALGORITHM, digits: DIGITS, counter: step })
    if (timingSafeEqual(Buffer.from(expected), Buffer.from(code)) && step > (lastStep ?? -1)) found = step
  }
  return found
}
