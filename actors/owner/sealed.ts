/** Seals the content of a message between an agent and its owners, and opens it. */
import { Effect, Schema } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { AccountKeys } from "../kit/account-keys.ts"
import { openFor, sealFor, type SealedFor } from "../kit/sealed-for.ts"

const Words = Schema.Struct({ text: Schema.String, options: Schema.NullOr(Schema.Array(Schema.String)) })
export type Words = typeof Words.Type

export type SealedWords = SealedFor

const decodeWords = Schema.decodeUnknownSync(Schema.fromJsonString(Words))

const placeOf = (id: number): string => `owner message ${id}`

export const sealWords = (
  accounts: AccountKeys,
  id: number,
  humans: ReadonlyArray<string>,
  words: Words
): Effect.Effect<SealedWords, Refusal> => sealFor(accounts, placeOf(id), humans, JSON.stringify(words))

export const openWords = (
  accounts: AccountKeys,
  id: number,
  sealed: SealedWords
): Effect.Effect<Words | null, Refusal> =>
  Effect.map(openFor(accounts, placeOf(id), sealed), (text) => (text === null ? null : decodeWords(text)))

/** Estimated bytes that a message adds to the log in addition to its text: commits, keys and a notification. */
const WORDS_BESIDE_BYTES = 2048

/** Estimated bytes that a message with this text adds to the log. */
export const wordsBytes = (text: string): number =>
  WORDS_BESIDE_BYTES + Math.ceil((Buffer.byteLength(JSON.stringify(text)) * 4) / 3)
