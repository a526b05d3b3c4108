/**
 * The challenge that a passkey signs: 256 random bits, for a few minutes.
 *
 * Invariants
 *  - Only the service can make a challenge. The browser gets it in plain text, for the passkey, and sealed under the
 *    service's seed, and must return the sealed form. No edge has that key, and nothing is stored before the answer.
 *  - It is bound to a browser: for a login by a value derived from its cookie, in the settings by its session.
 *  - It is accepted once: the account remembers an accepted challenge until no node accepts it any more
 *    (decide-passkeys.ts).
 */
import { createHash, randomBytes } from "node:crypto"
import { Schema } from "effect"
import { PASSKEY_LIMITS } from "../../schemas/human/limits.ts"
import { Sealer } from "../log/seal.ts"

const CHALLENGE_BYTES = 32
const SEALED_CHARS_MAX = 2000

const Challenge = Schema.Struct({
  /** The challenge in base64url. */
  challenge: Schema.String,
  bound: Schema.String,
  /** Unix ms. */
  until: Schema.Number,
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

  /** Unix ms of the last restore. Challenges from before it may have been answered after the backup. */
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

  /** `null` if the service did not make the challenge, or if it has another purpose or is older than a restore. */
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

export const challengeHash = ({ challenge }: Challenge): string => createHash("sha256").update(challenge).digest("hex")
