/** Operations on passkeys of an account: offer, add, use and remove (Web Authentication). */
import { Effect } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import { PASSKEY_LIMITS } from "../../schemas/human/limits.ts"
import type { humanOperations as declared } from "../../schemas/human/operations.ts"
import { custom, type PrepareContext, write } from "../engine/definition.ts"
import type { Doing } from "../kit/kind.ts"
import type { LetterParts } from "../letter/noun.ts"
import type { Actors } from "../engine/services.ts"
import { loginFailed } from "./decide.ts"
import { decideEnterConsole } from "./decide-console.ts"
import {
  decideAdd,
  decideEnter,
  decideRemove,
  type EnterFacts,
  passkeyRefused,
  passkeysOf,
  tooMany
} from "./decide-passkeys.ts"
import type { OpenedAccount, Opening } from "./opening.ts"
import { addingTo, type Challenge, LOGIN, PasskeyChallenges } from "./passkey-challenge.ts"
import { openPasskey, type PasskeyRecord, sealPasskey } from "./passkey-record.ts"
import { isPassword, sealBrowser } from "./personal.ts"
import type { HumanActor, HumanState, Passkey } from "./state.ts"
import {
  consoleParty,
  creationOptions,
  type RelyingParty,
  relyingParty,
  verifiedCounter,
  verifiedPasskey
} from "./webauthn.ts"
import { iso } from "../../schemas/iso.ts"

type Op<Name extends keyof typeof declared> = Doing<HumanActor, (typeof declared)[Name]>

type Entering = (typeof declared)["human.enter_by_passkey"]["input"]["Type"]

interface PasskeyOperations {
  readonly "human.passkeys": Op<"human.passkeys">
  readonly "human.offer_passkey": Op<"human.offer_passkey">
  readonly "human.add_passkey": Op<"human.add_passkey">
  readonly "human.remove_passkey": Op<"human.remove_passkey">
  readonly "human.enter_by_passkey": Op<"human.enter_by_passkey">
  readonly "human.open_console_by_passkey": Op<"human.open_console_by_passkey">
}

type KnownPasskey = PasskeyRecord & Pick<Passkey, "id" | "added_at" | "used_at">

const knownOf = ({ human, sealer }: OpenedAccount, id: string): ReadonlyArray<KnownPasskey> =>
  passkeysOf(human).kept.map(({ id: passkey, sealed, added_at, used_at }) => ({
    ...openPasskey(sealer, id, { sealed }),
    id: passkey,
    added_at,
    used_at
  }))

const passkeyRecord = ({ id, name, added_at, used_at }: KnownPasskey) => ({
  id,
  name,
  added_at: iso(added_at),
  used_at: used_at === null ? null : iso(used_at)
})

export const passkeyOperations = (parts: LetterParts, opening: Opening): PasskeyOperations => {
  const { opened, personalOf, said, told, loginOf } = opening
  const { owner } = parts.config.limits.limits
  const party = relyingParty(parts.config)
  const challenges = new PasskeyChallenges(parts.seed, parts.restored.at)

  /** The passkey of the account that signed; `null` if none did. */
  const signedBy = (
    account: OpenedAccount,
    id: string,
    challenge: Challenge | null,
    signed: Parameters<typeof verifiedCounter>[2],
    at: RelyingParty | null
  ): Effect.Effect<EnterFacts["signed"]> =>
    Effect.promise(async () => {
      const known = knownOf(account, id).find(({ credential }) => credential === signed.id)
      if (known === undefined || challenge === null || at === null) return null
      const counter = await verifiedCounter(at, known, signed, challenge.challenge)
      if (counter === null) return null
      const { id: passkey, added_at: _added, used_at: _used, ...record } = known
      return { passkey, sealed: sealPasskey(account.sealer, id, { ...record, counter }) }
    })

  const entering =
    (at: RelyingParty | null) =>
    (
      state: HumanState,
      { sealed, signed, browser }: Entering,
      context: PrepareContext
    ): Effect.Effect<EnterFacts, Refusal, Actors> =>
      Effect.gen(function* () {
        const { id } = context
        const account = yield* opened(state, id, passkeyRefused)
        const challenge = challenges.open(LOGIN, sealed)
        return {
          challenge,
          signed: yield* signedBy(account, id, challenge, signed, at),
          browser: browser === undefined ? null : sealBrowser(account.sealer, id, browser),
          login: loginOf(account, context, browser)
        }
      })

  return {
    "human.passkeys": custom((state, _input, { id }) =>
      Effect.map(opened(state, id), (account) => ({ passkeys: knownOf(account, id).map(passkeyRecord) }))
    ),
    "human.offer_passkey": custom((state, { password, token, name }, context) =>
      Effect.gen(function* () {
        const account = yield* said(state, { password }, context)
        if (!isPassword(account.secret, password)) return yield* Effect.fail(loginFailed)
        const { id: human, at } = context
        const known = knownOf(account, human)
        if (known.length >= PASSKEY_LIMITS.max) return yield* Effect.fail(tooMany)
        const { challenge, sealed } = challenges.make(addingTo(human), { bound: token, name }, at)
        const { email } = personalOf(account, human)
        return { options: creationOptions(party, { human, email, challenge, known }), sealed }
      })
    ),
    "human.add_passkey": write({
      prepare: (state, { sealed, made }, context) =>
        Effect.gen(function* () {
          const { id } = context
          const account = yield* opened(state, id)
          const challenge = challenges.open(addingTo(id), sealed)
          const { challenge: wanted = "", name = "" } = challenge ?? {}
          const record = yield* Effect.promise(() => verifiedPasskey(party, made, { challenge: wanted, name }))
          return {
            challenge,
            sealed: record === null ? null : sealPasskey(account.sealer, id, record),
            known: knownOf(account, id).some(({ credential }) => credential === made.id),
            posted: told("two_step_changed", account, context, { what: "a passkey was added" })
          }
        }),
      decide: (state, input, context) => decideAdd(state, input, context),
      answer: () => null
    }),
    "human.remove_passkey": write({
      prepare: (state, input, context) =>
        Effect.map(said(state, input, context), (account) => ({
          secret: account.secret,
          posted: told("two_step_changed", account, context, { what: "a passkey was removed" })
        })),
      decide: (state, input, context) => decideRemove(state, input, context),
      answer: () => null
    }),
    "human.enter_by_passkey": write({
      prepare: entering(party),
      decide: (state, input, context) => decideEnter(state, input, context, owner),
      answer: (_state, { expires_at }) => ({ expires_at: iso(expires_at) })
    }),
    "human.open_console_by_passkey": write({
      prepare: entering(consoleParty(parts.config)),
      decide: (state, input, context) => decideEnterConsole(state, input, context, owner),
      answer: (_state, { expires_at }) => ({ expires_at: iso(expires_at) })
    })
  }
}
