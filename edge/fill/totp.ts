/** Computes codes of authenticator apps (RFC 6238), from an otpauth address or a secret in base32. */
import { Secret, TOTP, URI } from "otpauth"
import { Refused } from "./refusal.ts"

const generator = (text: string): TOTP => {
  if (!text.startsWith("otpauth:"))
    return new TOTP({ secret: Secret.fromBase32(text.replace(/[\s-]/g, "").toUpperCase()) })
  const parsed = URI.parse(text)
  if (parsed instanceof TOTP) return parsed
  throw new TypeError("counts instead of telling the time")
}

export const totpOf = (text: string, at: number): string => {
  try {
    return generator(text.trim()).generate({ timestamp: at })
  } catch {
    throw new Refused("sealed_mismatch", "The entry's totp is neither an otpauth address of codes by time nor base32.")
  }
}
