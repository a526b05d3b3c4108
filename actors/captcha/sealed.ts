/**
 * The sealed parts of a captcha's record: the details for the agent's owners, and the answer under the key of its
 * giver.
 */
import { Effect, Schema } from "effect"
import { CaptchaAnswer } from "../../schemas/captcha/records.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { AccountKeys } from "../kit/account-keys.ts"
import { openFor, sealFor, type SealedFor } from "../kit/sealed-for.ts"

/** `key`: the key of the sealed picture, in base64url. */
const CaptchaDetails = Schema.Struct({
  context: Schema.NullOr(Schema.String),
  origin: Schema.NullOr(Schema.String),
  key: Schema.String
})
export type SealedDetails = typeof CaptchaDetails.Type

const decodeTold = Schema.decodeUnknownSync(Schema.fromJsonString(CaptchaDetails))
const decodeAnswer = Schema.decodeUnknownSync(Schema.fromJsonString(CaptchaAnswer))

const placeOf = (id: number): string => `captcha ${id}`
const answerTo = (id: number): string => `answer to captcha ${id}`

export const sealDetails = (
  accounts: AccountKeys,
  id: number,
  humans: ReadonlyArray<string>,
  told: SealedDetails
): Effect.Effect<SealedFor, Refusal> => sealFor(accounts, placeOf(id), humans, JSON.stringify(told))

export const openDetails = (
  accounts: AccountKeys,
  id: number,
  sealed: SealedFor
): Effect.Effect<SealedDetails | null, Refusal> =>
  Effect.map(openFor(accounts, placeOf(id), sealed), (text) => (text === null ? null : decodeTold(text)))

/** Seals an answer; `null` if the account does not exist any more. */
export const sealAnswer = (
  accounts: AccountKeys,
  id: number,
  human: string,
  answer: CaptchaAnswer
): Effect.Effect<string | null, Refusal> =>
  Effect.map(accounts.of(human), (sealer) => sealer?.seal(JSON.stringify(answer), answerTo(id)) ?? null)

export const openAnswer = (
  accounts: AccountKeys,
  id: number,
  human: string,
  sealed: string
): Effect.Effect<CaptchaAnswer | null, Refusal> =>
  Effect.map(accounts.of(human), (sealer) => (sealer === null ? null : decodeAnswer(sealer.open(sealed, answerTo(id)))))
