/** Sets up and removes the second step of a login (contract 20). */
import { Effect } from "effect"
import type { humanOperations as declared } from "../../schemas/human/operations.ts"
import { custom, write } from "../engine/definition.ts"
import type { Doing } from "../kit/kind.ts"
import type { LetterParts } from "../letter/noun.ts"
import { Sealer } from "../log/seal.ts"
import { decideDisable, decideEnable, decideOffer, decideRenewCodes } from "./decide-two-step.ts"
import type { Opening } from "./opening.ts"
import { newRecoveryCodes } from "./recovery-codes.ts"
import { openSecondFactor, sealSecondFactor } from "./second-factor.ts"
import type { HumanActor } from "./state.ts"
import { newTotpSecret, totpUri, verifyTotp } from "./totp.ts"

type Op<Name extends keyof typeof declared> = Doing<HumanActor, (typeof declared)[Name]>

interface TwoStepOperations {
  readonly "human.two_step": Op<"human.two_step">
  readonly "human.offer_two_step": Op<"human.offer_two_step">
  readonly "human.enable_two_step": Op<"human.enable_two_step">
  readonly "human.disable_two_step": Op<"human.disable_two_step">
  readonly "human.renew_recovery_codes": Op<"human.renew_recovery_codes">
}

const offerPurpose = (human: string): string => `offered second factor ${human}`

export const twoStepOperations = (parts: LetterParts, opening: Opening): TwoStepOperations => {
  const { opened, personalOf, said, told } = opening
  const { name: issuer } = parts.config
  // Values that are shown once are sealed into the commit's reply, so that a repeated command gets them again.
  const service = new Sealer(parts.seed)
  const shownPurpose = (human: string): string => `recovery codes ${human}`
  const codesOf = (shown: string, human: string) => ({ codes: service.open(shown, shownPurpose(human)).split(" ") })
  const newCodes = (human: string) => {
    const { codes, hashes } = newRecoveryCodes(human)
    return { hashes, left: hashes.length, shown: service.seal(codes.join(" "), shownPurpose(human)) }
  }

  return {
    "human.two_step": custom((state, _input, { id }) =>
      Effect.map(opened(state, id), (account) => {
        const { two_step, offered } = account.human
        if (offered === null) return { enabled: two_step !== null, codes_left: two_step?.left ?? 0, offered: null }
        const secret = account.sealer.open(offered, offerPurpose(id))
        const uri = totpUri(secret, { issuer, address: personalOf(account, id).email })
        return { enabled: two_step !== null, codes_left: two_step?.left ?? 0, offered: { secret, uri } }
      })
    ),
    "human.offer_two_step": write({
      prepare: (state, input, context) =>
        Effect.map(said(state, input, context), ({ secret, sealer }) => ({
          secret,
          sealed: sealer.seal(newTotpSecret(), offerPurpose(context.id))
        })),
      decide: (state, input, context) => decideOffer(state, input, context),
      answer: () => null
    }),
    "human.enable_two_step": write({
      prepare: (state, { code }, context) =>
        Effect.map(opened(state, context.id), (account) => {
          const { human, sealer } = account
          const { id, at } = context
          const secret = human.offered === null ? null : sealer.open(human.offered, offerPurpose(id))
          const { hashes, left, shown } = newCodes(id)
          return {
            step: secret === null ? null : verifyTotp(secret, code, at, null),
            sealed: sealSecondFactor(sealer, id, { secret: secret ?? "", hashes }),
            left,
            shown,
            posted: told("two_step_changed", account, context, { what: "the second step is on" })
          }
        }),
      decide: (state, _input, context) => decideEnable(state, context),
      answer: (_state, { shown }, { id }) => codesOf(shown, id)
    }),
    "human.disable_two_step": write({
      prepare: (state, input, context) =>
        Effect.map(said(state, input, context), (account) => ({
          secret: account.secret,
          posted: told("two_step_changed", account, context, { what: "the second step is off" })
        })),
      decide: (state, input, context) => decideDisable(state, input, context),
      answer: () => null
    }),
    "human.renew_recovery_codes": write({
      prepare: (state, input, context) =>
        Effect.map(said(state, input, context), ({ human, sealer, secret }) => {
          const { hashes, left, shown } = newCodes(context.id)
          const kept = human.two_step === null ? null : openSecondFactor(sealer, context.id, human.two_step.sealed)
          const sealed = kept === null ? null : sealSecondFactor(sealer, context.id, { ...kept, hashes })
          return { secret, sealed, left, shown }
        }),
      decide: (state, input, context) => decideRenewCodes(state, input, context),
      answer: (_state, { shown }, { id }) => codesOf(shown, id)
    })
  }
}
