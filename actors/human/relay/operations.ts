/**
 * The operations on relayed events: a person chooses them, and they are sent or held. They are declared in
 * schemas/relay/operations.ts.
 */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { reachingOperations as reaching } from "../../../schemas/owner/operations.ts"
import type { SubscribedBrowser } from "../../../schemas/push/operations.ts"
import { type Choice, OWNER_CONFIRMED, RELAYED_EVENTS } from "../../../schemas/relay/events.ts"
import type { Relayed, RelaySettings, relayOperations as declared } from "../../../schemas/relay/operations.ts"
import { custom, type PrepareContext, write } from "../../engine/definition.ts"
import type { Operating } from "../../kit/kind.ts"
import type { LetterParts } from "../../letter/noun.ts"
import type { Sealer } from "../../log/seal.ts"
import type { Actors } from "../../engine/services.ts"
import { iso } from "../../../schemas/iso.ts"
import { isActive } from "../decide.ts"
import type { Opening } from "../opening.ts"
import { openSubscription } from "../push/sealed.ts"
import type { Human, HumanActor, HumanState } from "../state.ts"
import { decideAgain, decideChoose, decideDigest, decideRelay, hasRoomBy, isFresh, type RelayFacts } from "./decide.ts"
import { digestLetter, relayLetter } from "./letters.ts"
import { chatNews, newsOf, placeOf, pushNews } from "./news.ts"
import { choiceOf, OTHERS } from "./state.ts"
import { handleOf } from "./facts.ts"

const NOTHING: RelayFacts = { letter: null, chat: null, push: [] }

/**
 * True for an owner of the agent, as far as the account knows. A new owner is also reported to an owner whose
 * sponsorship has ended meanwhile, so that an agent cannot hide it by ending the sponsorship.
 */
const isToldOf = ({ sponsorships }: Human, { agent: wanted, event }: Pick<Relayed, "agent" | "event">): boolean =>
  sponsorships.some(({ agent, open }) => agent === wanted && (open || event === OWNER_CONFIRMED))

export const relayOperations = (
  { letters, config: { baseUrl, limits } }: LetterParts,
  { opened, personalOf, told }: Opening
): Operating<typeof declared & typeof reaching, HumanActor> => {
  const { owner } = limits.limits
  const byLetter = ({ email_verified }: Human): boolean => email_verified && letters.transport !== null
  const inChat = ({ chat }: Human): boolean => chat.linked !== null && letters.chat !== null
  const inBrowsers = ({ push }: Human): boolean => push.subscriptions.length > 0 && letters.push !== null
  /** Ways that the person has chosen, and that reach the person. */
  const waysOf = (human: Human, event: string): Choice => {
    const { email, chat, push } = choiceOf(human.relay, event)
    return { email: email && byLetter(human), chat: chat && inChat(human), push: push && inBrowsers(human) }
  }
  const chatOf = (human: Human): RelaySettings["chat"] =>
    letters.chat === null ? "off" : human.chat.linked === null ? "unlinked" : "linked"

  const browsersOf = ({ push }: Human, sealer: Sealer, id: string): ReadonlyArray<SubscribedBrowser> =>
    push.subscriptions.flatMap((one) => {
      const { key, name } = openSubscription(sealer, id, one.sealed)
      return key === letters.push?.publicKey ? [{ id: one.id, name, since: iso(one.at) }] : []
    })

  const relayFacts = (
    state: HumanState,
    input: Relayed,
    context: PrepareContext
  ): Effect.Effect<RelayFacts, Refusal, Actors> =>
    Effect.gen(function* () {
      if (!isActive(state) || !isFresh(input, context.at, owner) || !isToldOf(state, input)) return NOTHING
      const { email, chat, push } = waysOf(state, input.event)
      if (!email && !chat && !push) return NOTHING
      const handle = yield* handleOf(input.agent, context)
      if (handle === null) return NOTHING
      const account = yield* opened(state, context.id)
      const of = placeOf(baseUrl, input, handle)
      const news = chat || push ? yield* newsOf(input, context) : null
      return {
        letter: email ? yield* relayLetter(told, account, input, handle, context) : null,
        chat: chat && news !== null ? chatNews(account, news, of, context) : null,
        push:
          push && news !== null
            ? pushNews(account, news, of, { ...input, key: letters.push?.publicKey ?? "" }, context)
            : []
      }
    })

  return {
    "human.relay": write({
      prepare: relayFacts,
      decide: (state, input, context) => decideRelay(state, input, context, owner),
      answer: () => null
    }),
    "human.relay_again": write({
      decide: (state, about, context) => decideAgain(state, about ?? OTHERS, context, owner),
      answer: (_state, { room }) => ({ room })
    }),
    "human.digest": write({
      prepare: (state, _fired, context) =>
        Effect.gen(function* () {
          if (!isActive(state) || state.relay.held.length === 0 || !byLetter(state)) return { letter: null }
          const account = yield* opened(state, context.id)
          return { letter: yield* digestLetter(told, account, state.relay, owner.relay_held_max, context) }
        }),
      decide: decideDigest,
      answer: () => null
    }),
    "human.relay_settings": custom((state, _input, { id }) =>
      Effect.map(opened(state, id), ({ human, sealer }) => ({
        email: byLetter(human),
        chat: chatOf(human),
        push: letters.push === null ? null : { key: letters.push.publicKey, browsers: browsersOf(human, sealer, id) },
        choices: RELAYED_EVENTS.map(({ event }) => ({ event, ...choiceOf(human.relay, event) }))
      }))
    ),
    "human.choose_relay": write({ decide: decideChoose, answer: () => null }),
    "human.reached": custom((state, { event, agent = "" }, { id, at }) =>
      Effect.map(opened(state, id), (account) => {
        const { human } = account
        const ways = waysOf(human, event)
        const by = (way: "chat" | "push"): boolean => ways[way] && hasRoomBy(way, human, { agent, event }, at, owner)
        const chat_linked = inChat(human)
        const told = RELAYED_EVENTS.map((one) => one.event).filter((one) => choiceOf(human.relay, one).chat)
        return {
          human_id: id,
          name: personalOf(account, id).name,
          chat_linked,
          events: chat_linked ? told : [],
          state: ways.email || by("chat") || by("push") ? "queued" : chat_linked ? "off" : "not_linked"
        }
      })
    )
  }
}
