/**
 * Seals content so that each of several people can have it opened.
 *
 * Invariants
 *  - In the log, in snapshots and in tables the content is sealed under a key of its own, and that key is sealed under
 *    the key of each account. When the last of these accounts is erased, nobody can read the content any more.
 *  - Each box opens only in its own place (`what`).
 */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import { Sealer } from "../log/seal.ts"
import type { AccountKeys } from "./account-keys.ts"

const KEY_BYTES = 32
const ABREAST = 8

export interface SealedFor {
  readonly sealed: string
  readonly keys: ReadonlyArray<{ readonly human: string; readonly sealed: string }>
}

const keyOf = (what: string): string => `key of ${what}`

const sealerOf = (key: string): Sealer => new Sealer(Buffer.from(key, "base64url"), "hub sealed for people")

/**
 * Seals for those of `humans` that have an account; `keys` is empty if none has. `what`: the place of the content, such
 * as `captcha 7`.
 */
export const sealFor = (
  accounts: AccountKeys,
  what: string,
  humans: ReadonlyArray<string>,
  text: string
): Effect.Effect<SealedFor, Refusal> => {
  const key = randomBytes(KEY_BYTES).toString("base64url")
  const forOne = (human: string) =>
    Effect.map(accounts.of(human), (sealer) =>
      sealer === null ? [] : [{ human, sealed: sealer.seal(key, keyOf(what)) }]
    )
  return Effect.map(Effect.forEach(humans, forOne, { concurrency: ABREAST }), (keys) => ({
    sealed: sealerOf(key).seal(text, what),
    keys: keys.flat()
  }))
}

/** `null` if none of these accounts exists any more. */
export const openFor = (
  accounts: AccountKeys,
  what: string,
  { sealed, keys }: SealedFor
): Effect.Effect<string | null, Refusal> =>
  Effect.gen(function* () {
    for (const one of keys) {
      const sealer = yield* accounts.of(one.human)
      if (sealer !== null) return sealerOf(sealer.open(one.sealed, keyOf(what))).open(sealed, what)
    }
    return null
  })
