/**
 * Finds secrets in messages between an agent and its owner (422 `owner_message_secret`; spec 4.10, contract 20): those
 * that content may not contain, and also JWTs and card numbers. Short codes, phone numbers, addresses and ids are
 * allowed, because agents ask for them.
 *
 * Invariant: the work is proportional to the text, whatever its content.
 */
import { type Refusal, refusal } from "../errors.ts"
import { holdsCardNumber } from "./card-number.ts"
import { type Author, secretIn, type TextField } from "./secrets.ts"

const JWT_BEGIN = "eyJ"
const JWT_PARTS = 3
const JWT_PART_MIN_CHARS = 8
const WORD_ENDS = /[^A-Za-z0-9_.-]+/

/** True for a JWT: two parts of JSON, and the signature. */
const isJwt = (word: string): boolean => {
  if (!word.startsWith(JWT_BEGIN)) return false
  const parts = word.split(".")
  return parts.length >= JWT_PARTS && parts.slice(0, JWT_PARTS).every((part) => part.length >= JWT_PART_MIN_CHARS)
}

const kindIn = (text: string): string | null => {
  if (text.split(WORD_ENDS).some(isJwt)) return "jwt"
  return holdsCardNumber(text) ? "card_number" : null
}

const found = (field: string, kind: string): Refusal =>
  refusal(
    "owner_message_secret",
    `${field} holds what looks like a secret (${kind}). Secrets are not passed on in messages: take it out.`,
    { field, kind }
  )

/** The author of a text by a person, who has no seed. */
export const NOBODY: Author = { publicKey: new Uint8Array(32) }

/** Checks texts of a few thousand characters at once. `author` is the agent, whose own seed is found too. */
export const ownerSecretIn = (fields: ReadonlyArray<TextField>, author: Author): Refusal | null => {
  for (const { field, text } of fields) {
    const kind = kindIn(text)
    if (kind !== null) return found(field, kind)
  }
  const other = secretIn(fields, author)
  return other === null ? null : found(other.field, other.kind)
}
