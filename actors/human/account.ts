/** The beginning and end of an account, its address, and its public form. */
import { Effect } from "effect"
import type { humanOperations as declared } from "../../schemas/human/operations.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { custom, type PrepareContext, write } from "../engine/definition.ts"
import type { Doing } from "../kit/kind.ts"
import type { LetterParts } from "../letter/noun.ts"
import { Actors, anew } from "../engine/services.ts"
import { addressHasher, addressSealer } from "../address/noun.ts"
import {
  decideConfirm,
  decideDelete,
  decideRegister,
  decideRename,
  decideVerification,
  emailTaken,
  type RegisterFacts
} from "./decide.ts"
import { lettersGoOut } from "./letters.ts"
import type { Opening } from "./opening.ts"
import { answersTo, joined, NOTHING_LEFT, openLeft, sealLeft } from "./left-behind.ts"
import { isPassword, sealPassword, sealPersonal } from "./personal.ts"
import type { HumanActor, HumanState } from "./state.ts"
import { iso } from "../../schemas/iso.ts"

type Op<Name extends keyof typeof declared> = Doing<HumanActor, (typeof declared)[Name]>
type Registration = (typeof declared)["human.register"]["input"]["Type"]

interface AccountOperations {
  readonly "human.register": Op<"human.register">
  readonly "human.account": Op<"human.account">
  readonly "human.shown": Op<"human.shown">
  readonly "human.rename": Op<"human.rename">
  readonly "human.send_verification": Op<"human.send_verification">
  readonly "human.confirm_address": Op<"human.confirm_address">
  readonly "human.delete": Op<"human.delete">
  readonly "human.erase": Op<"human.erase">
}

export const accountOperations = (parts: LetterParts, opening: Opening): AccountOperations => {
  const { seed, config } = parts
  const { owner } = config.limits.limits
  const { opened, personalOf, said, keys } = opening
  const hashOf = addressHasher(seed)
  const sealerOf = addressSealer(seed)

  /**
   * True for an account without a key. A live account always has its key, and a deleted one has no address. Only a
   * backup made during the deletion may have the address and no key. Nobody can open that account any more, so its
   * address is free.
   */
  const isLost = (human: string): Effect.Effect<boolean, Refusal> =>
    Effect.map(keys.of(human), (sealer) => sealer === null)

  const prepareRegister = (
    { name, email, password }: Registration,
    context: PrepareContext
  ): Effect.Effect<RegisterFacts, Refusal, Actors> =>
    Effect.gen(function* () {
      yield* lettersGoOut(parts)
      const address = hashOf(email)
      const actors = yield* Actors
      const claim = yield* actors.ask(context, "address.look", address, null)
      if (claim.human !== null && !(yield* isLost(claim.human))) return yield* Effect.fail(emailTaken)
      const { id } = context
      const sealer = yield* keys.make(id)
      const { former } = claim
      const sealed = openLeft(sealerOf(email), address, claim.left)
      const left = joined(sealed, { ...NOTHING_LEFT, made: former?.made ?? [] })
      return {
        address,
        claimed: claim.seq,
        former: former === undefined ? undefined : { ...former, made: [] },
        left: sealLeft(sealer, id, left),
        personal: sealPersonal(sealer, id, { name, email }),
        password: sealPassword(sealer, id, password),
        ...opening.linkFor("verify_address", sealer, context, { name, email })
      }
    })

  const prepareDelete = (state: HumanState, input: { readonly password: string }, context: PrepareContext) =>
    Effect.gen(function* () {
      const account = yield* said(state, input, context)
      const { human, secret, sealer } = account
      const actors = yield* Actors
      const { seq } = yield* actors.ask(anew(context), "address.look", human.address, null)
      const { email } = personalOf(account, context.id)
      const facts = { secret, email, claimed: seq }
      if (!isPassword(secret, input.password)) return facts
      const { refused, unanswered } = yield* answersTo(human, context, owner)
      const before = openLeft(sealer, context.id, human.left)
      const holding = { ...before, refused: before.refused.filter(({ until }) => until > context.at) }
      const left = joined(holding, { made: human.made, refused })
      return { ...facts, unanswered, left: sealLeft(sealerOf(email), human.address, left) }
    })

  return {
    "human.register": write({
      prepare: (_state, input, context) => prepareRegister(input, context),
      decide: (state, _input, context) => decideRegister(state, context, owner),
      contested: () => ({ refused: emailTaken }),
      answer: (_state, reply) => reply
    }),
    "human.account": custom((state, _input, { id }) =>
      Effect.map(opened(state, id), (account) => ({
        id,
        ...personalOf(account, id),
        email_verified: account.human.email_verified,
        created_at: iso(account.human.created_at)
      }))
    ),
    "human.shown": custom((state, _input, { id }) =>
      Effect.map(opened(state, id), (account) => ({
        id,
        name: personalOf(account, id).name,
        created_at: iso(account.human.created_at),
        verification: account.human.email_verified ? "email" : "none"
      }))
    ),
    "human.rename": write({
      prepare: (state, { name }, { id }) =>
        Effect.map(opened(state, id), (account) => {
          const before = personalOf(account, id)
          const personal = sealPersonal(account.sealer, id, { ...before, name })
          return { personal, same: before.name === name }
        }),
      decide: (state, _input, context) => decideRename(state, context),
      answer: () => null,
      projected: true
    }),
    "human.send_verification": write({
      prepare: opening.linked("verify_address"),
      decide: (state, _input, context) => decideVerification(state, context, owner),
      answer: () => ({ sent: true })
    }),
    "human.confirm_address": write({
      decide: (state, input, context) => decideConfirm(state, input, context),
      answer: () => ({ email_verified: true }),
      projected: true
    }),
    "human.delete": write({
      prepare: (state, input, context) => prepareDelete(state, input, context),
      decide: (state, input, context) => decideDelete(state, input, context, owner),
      answer: (_state, _reply, { id }) => ({ deleted: true, id }),
      projected: true
    }),
    "human.erase": custom((_state, _input, { id }) => Effect.as(keys.erase(id), null))
  }
}
