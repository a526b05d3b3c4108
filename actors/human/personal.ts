/** Seals a person's own data under the account's key, and opens it. */
import { createHash, timingSafeEqual } from "node:crypto"
import { Schema } from "effect"
import type { HashedPassword } from "../../schemas/human/operations.ts"
import type { Sealer } from "../log/seal.ts"
import type { Human } from "./state.ts"

const Personal = Schema.fromJsonString(Schema.Struct({ name: Schema.String, email: Schema.String }))
export type Personal = typeof Personal.Type

/** `verifier`: the SHA-256 of argon2id's result, so that somebody who reads it cannot log in with it. */
const Secret = Schema.fromJsonString(Schema.Struct({ salt: Schema.String, verifier: Schema.String }))
export type PasswordSecret = typeof Secret.Type

const encodePersonal = Schema.encodeSync(Personal)
const decodePersonal = Schema.decodeSync(Personal)
const encodeSecret = Schema.encodeSync(Secret)
const decodeSecret = Schema.decodeSync(Secret)

const personalPurpose = (human: string): string => `personal ${human}`
const passwordPurpose = (human: string): string => `password ${human}`

export const sealPersonal = (sealer: Sealer, human: string, personal: Personal): string =>
  sealer.seal(encodePersonal(personal), personalPurpose(human))

export const openPersonal = (sealer: Sealer, human: string, sealed: string): Personal =>
  decodePersonal(sealer.open(sealed, personalPurpose(human)))

export const sealPassword = (
  sealer: Sealer,
  human: string,
  { salt, parameters, hash }: HashedPassword
): Human["password"] => ({
  sealed: sealer.seal(encodeSecret({ salt, verifier: verifierOf(hash) }), passwordPurpose(human)),
  parameters
})

export const openPassword = (sealer: Sealer, human: string, { sealed }: Human["password"]): PasswordSecret =>
  decodeSecret(sealer.open(sealed, passwordPurpose(human)))

const browserPurpose = (human: string): string => `browser ${human}`

export const sealBrowser = (sealer: Sealer, human: string, browser: string): string =>
  sealer.seal(browser, browserPurpose(human))

export const openBrowser = (sealer: Sealer, human: string, sealed: string): string =>
  sealer.open(sealed, browserPurpose(human))

const verifierOf = (hash: string): string => createHash("sha256").update(Buffer.from(hash, "base64")).digest("base64")

/** Compares in constant time. */
export const isPassword = ({ verifier }: PasswordSecret, hash: string): boolean =>
  timingSafeEqual(Buffer.from(verifier, "base64"), Buffer.from(verifierOf(hash), "base64"))
