/** The fields that people fill in, with their rules (contract 6, 20). */
import { Schema } from "effect"
import { isDropped } from "../unseen.ts"
import { OWNER_LIMITS } from "./limits.ts"
import { passwordLength } from "./password.ts"

/** `hum_` and 80 random bits in base32. */
export const HUMAN_ID = /^hum_[a-z2-7]{16}$/
/** `hxh_`, the id of the account, and 256 random bits (spec 5.2). */
export const SESSION_TOKEN = /^hxh_([a-z2-7]{16})([A-Za-z0-9_-]{43})$/
/** The token of a link in a letter: the account's id and 256 random bits. */
export const LINK_TOKEN = /^([a-z2-7]{16})([A-Za-z0-9_-]{43})$/

export const HUMAN_PREFIX = "hum_"

/**
 * The local part of an address to which letters can be sent (`MAIL_ADDRESS`): atoms and dots of RFC 5321, without
 * quoted forms. `%` and the backtick are not allowed, because mail servers and their scripts may interpret them.
 */
const LOCAL_PART = /^[A-Za-z0-9!#$&'*+/=?^_{|}~-]+(?:\.[A-Za-z0-9!#$&'*+/=?^_{|}~-]+)*$/
const LOCAL_PART_MAX = 64
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** A domain of at least two labels as A-labels; `null` if the text is none. */
const domainOf = (text: string): string | null => {
  if (text === "" || isDropped(text) || /[\s/?#@:\\%[\]]/.test(text) || !URL.canParse(`http://${text}`)) return null
  const { hostname } = new URL(`http://${text}`)
  const labels = hostname.split(".")
  const named = labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? "")
  return named ? hostname : null
}

/** The normal form of an address: trimmed, in lower case, the domain as A-label; `null` if it is no address. */
export const normalEmail = (text: string): string | null => {
  const trimmed = text.trim()
  if (trimmed.length > OWNER_LIMITS.email_max_chars) return null
  const at = trimmed.lastIndexOf("@")
  const local = trimmed.slice(0, Math.max(0, at))
  const domain = domainOf(trimmed.slice(at + 1))
  if (at < 1 || domain === null || local.length > LOCAL_PART_MAX || !LOCAL_PART.test(local)) return null
  // The local part is checked before it is lowercased, because some other letters have an ASCII letter as lower case.
  const address = `${local.toLowerCase()}@${domain}`
  return address.length > OWNER_LIMITS.email_max_chars ? null : address
}

export const Email = Schema.String.check(
  Schema.makeFilter((text: string) => normalEmail(text) !== null || "must be an e-mail address")
)

const { password_min_chars: MIN, password_max_chars: MAX } = OWNER_LIMITS

/** edge/human/password-policy.ts reports all other faults of a new password. */
export const Password = Schema.String.check(
  Schema.makeFilter(
    (text: string) => {
      const length = passwordLength(text)
      return length >= MIN && length <= MAX
    },
    { ...Schema.isBetweenCodePoints(MIN, MAX).annotations, message: `must be ${MIN} to ${MAX} characters` }
  )
)

/** The code of the second step: six digits or a recovery code, with any spaces and hyphens. */
export const Code = Schema.String.check(Schema.isMaxLength(40, { message: "must be at most 40 characters" }))

/** A password in a login. The answer tells only whether it is right. */
export const TriedPassword = Schema.String.check(
  Schema.makeFilter((text: string) => passwordLength(text) <= MAX, {
    ...Schema.isMaxCodePoints(MAX).annotations,
    message: `must be at most ${MAX} characters`
  })
)
