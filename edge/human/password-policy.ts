/**
 * Refuses passwords that attackers try first (contract 20). A password of ten or more characters needs neither more
 * length nor several kinds of characters.
 *
 * Invariants
 *  - The other rules are checked only if the length is within its bounds.
 *  - No message contains any part of a password, a name or an address.
 */
import type { ErrorDetails } from "../../schemas/errors.ts"
import { PASSWORD_MAX_CODE_POINTS, PASSWORD_MIN_CODE_POINTS, passwordLength } from "../../schemas/human/password.ts"
import { isCommonPassword } from "./common-passwords.ts"
import { isPersonal, type Person } from "./personal-password.ts"

type PasswordRule = "length" | "characters" | "common" | "personal"

export interface PasswordProblem {
  readonly rule: PasswordRule
  readonly message: string
  /** `min` and `max` if the length is wrong; empty otherwise. */
  readonly bounds: ErrorDetails
}

const MESSAGES: Readonly<Record<PasswordRule, string>> = {
  length: `password must be ${PASSWORD_MIN_CODE_POINTS} to ${PASSWORD_MAX_CODE_POINTS} characters.`,
  characters: "password must be whole Unicode text.",
  common: "password is one of those that are guessed first, or is made of one of them: choose another.",
  personal: "password holds your name or your email address, which are guessed first: choose another."
}

/** The length is counted in the normalized form, and as typed: one ligature can expand to eighteen characters. */
const isLengthWithinBounds = (password: string): boolean => {
  const length = passwordLength(password)
  if (length < PASSWORD_MIN_CODE_POINTS || length > PASSWORD_MAX_CODE_POINTS) return false
  return [...password].length >= PASSWORD_MIN_CODE_POINTS
}

const brokenRule = (password: string, person: Person): PasswordRule | null => {
  if (!isLengthWithinBounds(password)) return "length"
  // The halves of surrogate pairs would all become the same bytes.
  if (!password.isWellFormed()) return "characters"
  if (isCommonPassword(password)) return "common"
  return isPersonal(password, person) ? "personal" : null
}

/** The problem of a new password. Name and address are within the bounds of their schemas. */
export const passwordProblem = (password: string, person: Person): PasswordProblem | null => {
  const rule = brokenRule(password, person)
  if (rule === null) return null
  const bounds = rule === "length" ? { min: PASSWORD_MIN_CODE_POINTS, max: PASSWORD_MAX_CODE_POINTS } : {}
  return { rule, message: MESSAGES[rule], bounds }
}
