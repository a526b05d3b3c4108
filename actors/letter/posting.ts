/** Writes a letter into the commit that causes it, sealed beforehand. */
import { randomBytes } from "node:crypto"
import { Schema } from "effect"
import { LETTER_LIMITS } from "../../schemas/letter/limits.ts"
import type { Companion, Timer } from "../engine/definition.ts"
import { LetterContent } from "../kit/letter-content.ts"
import type { Sealer } from "../log/seal.ts"
import { SEND_TIMER } from "./decide.ts"
import type { CHAT, PUSH } from "./ways.ts"
import type { LetterEvent } from "./state.ts"
import type { TemplateName } from "./templates.ts"

export interface PostedLetter {
  readonly id: string
  readonly human: string
  readonly template: TemplateName | typeof CHAT | typeof PUSH
  /** Sealed by `sealLetter` under that account's key. */
  readonly sealed: string
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
const ID_CHARS = 26
const LETTER_ID = /^[a-z2-7]{26}$/

const lettersOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => ALPHABET[byte & 31]).join("")

/** 130 random bits, so that it cannot be guessed. */
export const newLetterId = (): string => lettersOf(randomBytes(ID_CHARS))

/** The id that belongs to a mark of `Sealer`, which has 32 bytes in hex. Nobody without the key can guess it. */
export const letterIdOf = (mark: string): string => lettersOf(Buffer.from(mark, "hex").subarray(0, ID_CHARS))

export const isLetterId = (id: string): boolean => LETTER_ID.test(id)

const purposeOf = (id: string): string => `letter ${id}`

export const sealLetter = (sealer: Sealer, id: string, content: LetterContent): string =>
  sealer.seal(JSON.stringify(content), purposeOf(id))

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(LetterContent))

/** Throws if it was sealed under another key, or for another letter. */
export const openLetter = (sealer: Sealer, id: string, sealed: string): LetterContent =>
  decode(sealer.open(sealed, purposeOf(id)))

/** The companion and the timer of a decision. With them, the letter exists exactly if its cause does. */
export const letterCommit = (
  { id, human, template, sealed }: PostedLetter,
  at: number
): { readonly companions: readonly [Companion]; readonly timers: readonly [Timer] } => {
  if (!isLetterId(id)) throw new TypeError("The id of a letter comes from newLetterId or letterIdOf")
  const written: LetterEvent = { type: "letter.written", v: 1, human, template, sealed }
  return {
    companions: [{ kind: "letter", id, expected: 0, events: [written], keepSeconds: LETTER_LIMITS.kept_seconds }],
    timers: [{ name: SEND_TIMER, at, of: { kind: "letter", id } }]
  }
}
