/** An account's operations on its chat, declared in schemas/chat/operations.ts. */
import { Effect } from "effect"
import type { chattingOperations as declared } from "../../../schemas/chat/operations.ts"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { chatHasher } from "../../chat/noun.ts"
import { type PrepareContext, read, write } from "../../engine/definition.ts"
import type { Operating } from "../../kit/kind.ts"
import type { LetterParts } from "../../letter/noun.ts"
import { Sealer } from "../../log/seal.ts"
import { Actors } from "../../engine/services.ts"
import { isActive } from "../decide.ts"
import type { Opening } from "../opening.ts"
import type { HumanActor, HumanState } from "../state.ts"
import { newLinkToken } from "../../kit/tokens.ts"
import { chatTaken, codeRefusal, decideLink, decideOffer, decideUnlink, type LinkFacts, noChat } from "./decide.ts"
import { sealChat } from "./sealed.ts"

const noChats: Refusal = unavailable("This deployment reaches nobody by chat.")

const shownPurpose = (human: string): string => `code of a chat ${human}`

export const chatOperations = (
  { seed, letters, config: { limits } }: LetterParts,
  { opened, told }: Opening
): Operating<typeof declared, HumanActor> => {
  const hashOf = chatHasher(seed)
  // The code is shown once. The commit's reply has it sealed, so that a repeated command gets it again.
  const service = new Sealer(seed)
  const { chat_code_seconds } = limits.limits.owner

  /** Reads the claim on a chat. A chat cannot be taken from the account that has it: its owner sends /stop first. */
  const claimOf = (chat: string, human: string, context: PrepareContext) =>
    Effect.gen(function* () {
      const actors = yield* Actors
      const claim = yield* actors.ask(context, "chat.look", chat, null)
      if (claim.human === null || claim.human === human) return claim.seq
      const isThere = yield* Effect.match(actors.ask(context, "human.in_chat", claim.human, { chat }), {
        onSuccess: () => Effect.succeed(true),
        onFailure: (refused) => (refused.code === "not_found" ? Effect.succeed(false) : Effect.fail(refused))
      }).pipe(Effect.flatten)
      return isThere ? yield* Effect.fail(chatTaken) : claim.seq
    })

  const linkFacts = (
    state: HumanState,
    { code, chat: number }: { readonly code: string; readonly chat: string },
    context: PrepareContext
  ): Effect.Effect<LinkFacts, Refusal, Actors> =>
    Effect.gen(function* () {
      const refused = codeRefusal(state, code, context.at)
      if (refused !== null) return yield* Effect.fail(refused)
      const account = yield* opened(state, context.id)
      const chat = hashOf(number)
      const claimed = yield* claimOf(chat, context.id, context)
      const posted = told("chat_linked", account, context)
      return { chat, sealed: sealChat(account.sealer, context.id, number), claimed, posted }
    })

  return {
    "human.offer_chat": write({
      prepare: (state, _input, { id }) =>
        Effect.gen(function* () {
          const { chat: bot } = letters
          if (bot === null) return yield* Effect.fail(noChats)
          yield* opened(state, id)
          const code = newLinkToken(id)
          return { code, shown: service.seal(JSON.stringify([code.token, yield* bot.name]), shownPurpose(id)) }
        }),
      decide: (state, _input, context) => decideOffer(state, context, chat_code_seconds),
      answer: (_state, { shown }, { id }) => {
        const [code, name]: [string, string | null] = JSON.parse(service.open(shown, shownPurpose(id)))
        return { code, bot: name }
      }
    }),
    "human.link_chat": write({ prepare: linkFacts, decide: decideLink, answer: () => null }),
    "human.in_chat": read((state, { chat }) =>
      isActive(state) && state.chat.linked?.chat === chat ? { data: null } : { refused: noChat }
    ),
    "human.unlink_chat": write({ decide: decideUnlink, answer: () => null })
  }
}
