/**
 * Finds an account by an e-mail address. The keyed hash of the address is computed here, so that edges do not need the
 * key.
 *
 * Invariants
 *  - The answers of `credential.find` and `credential.forgot` do not reveal whether an address has an account: they
 *    have the same form, and take the same asks. For an unknown address, the person and the salt are derived from the
 *    address, so they are the same each time.
 */
import { createHmac, hkdfSync } from "node:crypto"
import { Effect, Schema } from "effect"
import { credentialOperations, type Salted } from "../../schemas/human/operations.ts"
import { HUMAN_PREFIX } from "../../schemas/human/fields.ts"
import { PASSWORD_SALT_BYTES, type PasswordParameters, passwordParameters } from "../../schemas/human/password.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { addressHasher } from "../address/noun.ts"
import { custom, type PrepareContext } from "../engine/definition.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"
import { Actors } from "../engine/services.ts"
import { LOGIN, PasskeyChallenges } from "./passkey-challenge.ts"
import { tryOf } from "./tries.ts"
import { relyingParty, requestOptions } from "./webauthn.ts"

type Credential = ActorOf<null, never>

const fold: Fold<Credential> = {
  kind: "credential",
  state: Schema.Null,
  initial: null,
  events: null,
  evolve: () => null
}

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
const ID_CHARS = 16

const nobodyBy = (seed: Uint8Array, parameters: PasswordParameters) => {
  const key = new Uint8Array(hkdfSync("sha256", seed, new Uint8Array(0), "hub nobody", 32))
  const derived = (use: string, address: string): Buffer =>
    createHmac("sha256", key).update(`${use} ${address}`).digest()
  return (address: string): { readonly human: string } & typeof Salted.Type => ({
    human: `${HUMAN_PREFIX}${[...derived("human", address).subarray(0, ID_CHARS)].map((byte) => BASE32[byte % 32]).join("")}`,
    salt: derived("salt", address).subarray(0, PASSWORD_SALT_BYTES).toString("base64"),
    parameters
  })
}

export const credentialKind = kind(fold, credentialOperations, ({ seed, config }) => {
  const hashOf = addressHasher(seed)
  const nobody = nobodyBy(seed, passwordParameters(config.limits.service))
  const challenges = new PasskeyChallenges(seed)
  const party = relyingParty(config)

  /** The holder of an address, or a made-up person. */
  const holderOf = (address: string, context: PrepareContext) =>
    Effect.gen(function* () {
      const actors = yield* Actors
      const { human } = yield* actors.ask(context, "address.look", address, null)
      return { actors, someone: human !== null, human: human ?? nobody(address).human }
    })

  const find = (
    email: string,
    isConsole: boolean,
    context: PrepareContext
  ): Effect.Effect<{ readonly human: string } & typeof Salted.Type, Refusal, Actors> =>
    Effect.gen(function* () {
      const address = hashOf(email)
      yield* tryOf(context, address, config.limits, isConsole)
      const { actors, human } = yield* holderOf(address, context)
      const salted = yield* absentAs(null, actors.ask(context, "human.salt", human, null))
      return salted === null ? nobody(address) : { human, ...salted }
    })

  return {
    logless: true,
    operations: {
      "credential.find": custom((_state, { email, console: at }, context) => find(email, at === true, context)),
      "credential.whose": custom((_state, { email }, context) =>
        Effect.gen(function* () {
          const { human } = yield* (yield* Actors).ask(context, "address.look", hashOf(email), null)
          return { human }
        })
      ),
      "credential.challenge": custom((_state, { bound }, { at }) =>
        Effect.sync(() => {
          const { challenge, sealed } = challenges.make(LOGIN, { bound }, at)
          return { options: requestOptions(party, challenge), sealed }
        })
      ),
      "credential.forgot": custom((_state, { email }, context) =>
        Effect.gen(function* () {
          const { actors, human } = yield* holderOf(hashOf(email), context)
          return yield* absentAs(null, actors.ask(context, "human.forgot", human, null))
        })
      )
    }
  }
})

/** Replaces the refusal of an account that does not exist by a value. */
const absentAs = <A, B, R>(value: B, asked: Effect.Effect<A, Refusal, R>): Effect.Effect<A | B, Refusal, R> =>
  Effect.catch(asked, (refused): Effect.Effect<B, Refusal> =>
    refused.code === "not_found" ? Effect.succeed(value) : Effect.fail(refused)
  )
