/**
 * Passwords of people and the parameters of their hashes (contract 20). The parameters are stored beside each hash, so
 * that they can be raised: a login with a weaker hash stores a new one (`isWeaker`).
 */
import { Schema } from "effect"
import { LIMITS } from "../limits.ts"
import { OWNER_LIMITS } from "./limits.ts"

export const PASSWORD_MIN_CODE_POINTS = OWNER_LIMITS.password_min_chars
export const PASSWORD_MAX_CODE_POINTS = OWNER_LIMITS.password_max_chars

/**
 * The most UTF-16 units of a password. One code point of the normalized form (NFKC) may come from four code points of
 * two units each. A longer text is not normalized, because the time for that grows with the square of its length.
 */
const NORMALIZED_MAX_UNITS = PASSWORD_MAX_CODE_POINTS * 4 * 2

/** The length in code points after NFKC (contract 22). Infinite if the text is too long to be normalized. */
export const passwordLength = (text: string): number =>
  text.length > NORMALIZED_MAX_UNITS ? Number.POSITIVE_INFINITY : [...text.normalize("NFKC")].length

/**
 * The bounds for the memory in a stored record. The least is the minimum that OWASP names. The most keeps a forged
 * record from taking too much memory and time of an edge.
 */
const MEMORY_KIB = { minimum: 7 * 1024, maximum: 128 * 1024 }
const PASSES = { minimum: 1, maximum: 10 }
const PARALLELISM = { minimum: 1, maximum: 4 }
const TAG_BYTES = { minimum: 16, maximum: 64 }
/** The most memory times passes, to which the time is proportional. It is less than a second of one core. */
const WORK_MAX_KIB = 512 * 1024

export const PasswordParameters = Schema.Struct({
  algorithm: Schema.Literal("argon2id"),
  memory_kib: Schema.Int.check(Schema.isBetween(MEMORY_KIB)),
  passes: Schema.Int.check(Schema.isBetween(PASSES)),
  parallelism: Schema.Int.check(Schema.isBetween(PARALLELISM)),
  tag_bytes: Schema.Int.check(Schema.isBetween(TAG_BYTES))
}).check(Schema.makeFilter((of) => workOf(of) <= WORK_MAX_KIB || "asks for too much work"))
export type PasswordParameters = typeof PasswordParameters.Type

export const PASSWORD_SALT_BYTES = 16

/** 16 bytes in base64. */
export const PasswordSalt = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9+/]{21}[AQgw]==$/, { message: `must be ${PASSWORD_SALT_BYTES} bytes in base64` })
)

/**
 * The parameters of new hashes from the configured limits. There is one lane, because more would take cores from other
 * requests.
 */
export const passwordParameters = (service: {
  readonly password_memory_kib: number
  readonly password_passes: number
}): PasswordParameters => ({
  algorithm: "argon2id",
  memory_kib: Math.max(MEMORY_KIB.minimum, Math.min(service.password_memory_kib, MEMORY_KIB.maximum)),
  passes: Math.max(PASSES.minimum, Math.min(service.password_passes, PASSES.maximum)),
  parallelism: 1,
  tag_bytes: 32
})

/** The parameters in production, which uses the declared limits. */
export const PASSWORD_PARAMETERS: PasswordParameters = passwordParameters(LIMITS.service)

const workOf = ({ memory_kib, passes }: { readonly memory_kib: number; readonly passes: number }): number =>
  memory_kib * passes

/**
 * True if a hash with the parameters `kept` should be replaced by one with `wanted`: `kept` has less work, or the same
 * work in less memory, or a shorter result. For two edges with different parameters it is true in one direction only,
 * so that they do not rehash in turns.
 */
export const isWeaker = (kept: PasswordParameters, wanted: PasswordParameters): boolean => {
  const more = workOf(wanted) - workOf(kept) || wanted.memory_kib - kept.memory_kib || wanted.tag_bytes - kept.tag_bytes
  return more > 0
}
