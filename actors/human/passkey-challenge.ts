/**
 * The challenge that a passkey signs: 256 random bits, for a few minutes.
 *
 * Invariants
 *  - Nobody but the service makes one: it goes to the browser in the clear, for the passkey, and sealed under the
 *    service's seed, as it must come back. No edge has that key, and nothing is kept until it is answered.
 *  - It is bound to a browser: that of the login by what follows from its cookie, that of the settings by its session.
 *  - It is answered once: the account that it let in remembers it until its time is over (state.ts). Refused answers
 *    are not remembered; they were nobody's signature.
 */
import { createHash, randomBytes } from "node:crypto"
import { Schema } from "effect"
import { PASSKEY_LIMITS } from "../../schemas/human/limits.ts"
import { Sealer } from "../log/seal.ts"

const CHALLENGE_BYTES = 32
const SEALED_CHARS_MAX = 2000

const Challenge = Schema.Struct({
  /** base64url. */
  challenge: Schema.String,
  bound: Schema.String,
  /** Unix ms. */
  until: Schema.Number,
  /** The name of a passkey to add. */
  name: Schema.optionalKey(Schema.String)
})
export type Challenge = typeof Challenge.Type

const Kept = Schema.fromJsonString(Challenge)
const encode = Schema.encodeSync(Kept)
const decode = Schema.decodeSync(Kept)

export const LOGIN = "passkey login"
export const addingTo = (human: string): string => `passkey of ${human}`

export class PasskeyChallenges {
  private readonly sealer: Sealer

  /** Unix ms of the last restore: those made before it may have been answered since the backup. */
  private readonly restoredAt: number

  constructor(seed: Uint8Array, restoredAt = 0) {
    this.sealer = new Sealer(seed, "hub passkey challenges")
    this.restoredAt = restoredAt
  }

  make(purpose: string, of: Pick<Challenge, "bound" | "name">, at: number): { challenge: string; sealed: string } {
    const challenge = randomBytes(CHALLENGE_BYTES).toString("base64url")
    const until = at + PASSKEY_LIMITS.challenge_seconds * 1000
    return { challenge, sealed: this.sealer.seal(encode({ ...of, challenge, until }), purpose) }
  }

  /** `null` if it is none of ours, of another purpose, or older than a restore. */
  open(purpose: string, sealed: string): Challenge | null {
    if (sealed.length > SEALED_CHARS_MAX) return null
    try {
      const challenge = decode(this.sealer.open(sealed, purpose))
      return challenge.until - PASSKEY_LIMITS.challenge_seconds * 1000 > this.restoredAt ? challenge : null
    } catch {
      return null
    }
  }
}

/** The form in which an account remembers it. */
export const challengeHash = ({ challenge }: Challenge): string => createHash("sha256").update(challenge).digest("hex")
