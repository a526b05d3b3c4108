/**
 * A browser's messages about passkeys (Web Authentication, level 3): about a new one, or about a signature. Bytes are
 * base64url. Only the account's actor verifies their content (actors/human/webauthn.ts).
 */
import { Schema } from "effect"
import { seen, SINGLE_LINE, Storable, VISIBLE, matches } from "../plain-text.ts"
import { HUMAN_ID } from "./fields.ts"
import { PASSKEY_LIMITS } from "./limits.ts"

const CHARS_MAX = 20_000
const ID_CHARS_MAX = 1400
const TRANSPORTS_MAX = 8

const bytes = (max: number) =>
  Schema.String.check(Schema.isMaxLength(max), Schema.isPattern(/^[A-Za-z0-9_-]+$/, { message: "must be base64url" }))

const Bytes = bytes(CHARS_MAX)
const CredentialId = bytes(ID_CHARS_MAX)

const Transport = Schema.String.check(Schema.isPattern(/^[a-z-]{1,20}$/, { message: "must be a transport" }))

export const MadePasskey = Schema.Struct({
  id: CredentialId,
  clientDataJSON: Bytes,
  attestationObject: Bytes,
  transports: Schema.Array(Transport).check(Schema.isMaxLength(TRANSPORTS_MAX))
})
export type MadePasskey = typeof MadePasskey.Type

export const SignedByPasskey = Schema.Struct({
  id: CredentialId,
  clientDataJSON: Bytes,
  authenticatorData: Bytes,
  signature: Bytes
})
export type SignedByPasskey = typeof SignedByPasskey.Type

/** The browser adds the account's id, as it was given when the passkey was made. */
export const PasskeyLogin = Schema.Struct({ ...SignedByPasskey.fields, userHandle: bytes(ID_CHARS_MAX) })

/** Decodes the account's id; `null` if it does not have the form of one. It does not check that the account exists. */
export const humanOfHandle = (userHandle: string): string | null => {
  const human = Buffer.from(userHandle, "base64url").toString("latin1")
  return HUMAN_ID.test(human) ? human : null
}

export const PasskeyName = Storable.check(
  Schema.isBetweenCodePoints(1, PASSKEY_LIMITS.name_max_chars, {
    message: `must be 1 to ${PASSKEY_LIMITS.name_max_chars} characters`
  }),
  matches(SINGLE_LINE, "must be one line without control characters"),
  matches(VISIBLE, "must not be blank"),
  seen
)

export const HumanPasskey = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  added_at: Schema.String,
  used_at: Schema.NullOr(Schema.String)
})
export type HumanPasskey = typeof HumanPasskey.Type

/**
 * The options that the page's script gives to the browser, as JSON with base64url for bytes, and the encrypted
 * challenge (`sealed`), which the form sends back with the answer.
 */
export const PasskeyChallenge = Schema.Struct({ options: Schema.String, sealed: Schema.String })
export type PasskeyChallenge = typeof PasskeyChallenge.Type
