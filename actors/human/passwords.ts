/**
 * Operations on passwords: to replace a forgotten one, to change it, and to hash it again with stronger parameters
 * (contract 20).
 */
import { Effect } from "effect"
import type { humanOperations as declared } from "../../schemas/human/operations.ts"
import { custom, write } from "../engine/definition.ts"
import type { Doing } from "../kit/kind.ts"
import type { LetterParts } from "../letter/noun.ts"
import { decideChange, decideForgot, decideRenew, decideReset, linkInvalid, linkOf } from "./decide.ts"
import type { Opening } from "./opening.ts"
import { sealPassword } from "./personal.ts"
import type { HumanActor } from "./state.ts"

type Op<Name extends keyof typeof declared> = Doing<HumanActor, (typeof declared)[Name]>

interface PasswordOperations {
  readonly "human.forgot": Op<"human.forgot">
  readonly "human.reset_link": Op<"human.reset_link">
  readonly "human.reset_password": Op<"human.reset_password">
  readonly "human.change_password": Op<"human.change_password">
  readonly "human.renew_password": Op<"human.renew_password">
}

export const passwordOperations = ({ config }: LetterParts, opening: Opening): PasswordOperations => {
  const { owner } = config.limits.limits
  const { opened, personalOf, tried, said, told } = opening
  return {
    "human.forgot": write({
      prepare: opening.linked("reset_password"),
      decide: (state, _input, context) => decideForgot(state, context, owner),
      answer: () => null
    }),
    "human.reset_link": custom((state, { token }, { id, at }) =>
      Effect.flatMap(opened(state, id, linkInvalid), (account) => {
        const found = linkOf(account.human, "reset_password", token, at)
        return "refused" in found ? Effect.fail(found.refused) : Effect.succeed(personalOf(account, id))
      })
    ),
    "human.reset_password": write({
      prepare: (state, { password }, context) =>
        Effect.map(opened(state, context.id, linkInvalid), (account) => ({
          password: sealPassword(account.sealer, context.id, password),
          // The link was sent to the address, so whoever follows it has proven the address.
          posted: told("password_changed", { ...account, human: { ...account.human, email_verified: true } }, context)
        })),
      decide: (state, input, context) => decideReset(state, input, context),
      answer: () => null
    }),
    "human.change_password": write({
      prepare: (state, { password, changed }, context) =>
        Effect.map(said(state, { password }, context), (account) => ({
          secret: account.secret,
          password: sealPassword(account.sealer, context.id, changed),
          posted: told("password_changed", account, context)
        })),
      decide: (state, input, context) => decideChange(state, input, context),
      answer: () => null
    }),
    "human.renew_password": write({
      prepare: (state, { renewed }, context) =>
        Effect.map(tried(state, context), ({ secret, sealer }) => ({
          secret,
          password: sealPassword(sealer, context.id, renewed)
        })),
      decide: (state, input, context) => decideRenew(state, input, context),
      answer: () => null
    })
  }
}
