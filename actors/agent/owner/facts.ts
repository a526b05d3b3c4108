/** Gathers the facts for messages to owners: the owners, how each is reached, a number, and the sealed text. */
import { Effect } from "effect"
import { notFound, type Refusal } from "../../../schemas/errors.ts"
import type { AnsweredByOwner, WrittenToOwners } from "../../../schemas/owner/operations.ts"
import { OWNER_ASKED } from "../../../schemas/relay/events.ts"
import type { OwnerReached, Reach } from "../../../schemas/owner/records.ts"
import type { PrepareContext } from "../../engine/definition.ts"
import type { KindParts } from "../../kit/kind.ts"
import { sealWords, wordsBytes } from "../../owner/noun.ts"
import { Actors, type ActorServices, Counters } from "../../engine/services.ts"
import { drawNotification } from "../notification/draw.ts"
import type { AgentState } from "../state.ts"
import { type AnswerFacts, isOwner, noOwner, noOwnerMessage, ownersOf, type WriteFacts } from "./decide.ts"

const ABREAST = 8

type Parts = Pick<KindParts, "accounts">
type Reached = OwnerReached & { readonly state: Reach }

const noAgent = notFound("agent")

/** The owners whose accounts exist, with how each one is reached. */
export const ownersReached = (
  state: AgentState,
  context: PrepareContext
): Effect.Effect<ReadonlyArray<Reached>, Refusal, ActorServices> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const one = (human: string) =>
      actors
        .ask({ ...context, commandId: `${context.commandId}-${human}` }, "human.reached", human, {
          event: OWNER_ASKED,
          agent: context.id
        })
        .pipe(
          Effect.map((reached): ReadonlyArray<Reached> => [reached]),
          Effect.catchIf(
            ({ code }) => code === "not_found",
            () => Effect.succeed<ReadonlyArray<Reached>>([])
          )
        )
    return (yield* Effect.forEach(ownersOf(state), one, { concurrency: ABREAST })).flat()
  })

const nextNumber = Effect.flatMap(Counters, (counters) => counters.next("owner_message"))

/** Takes a number only if at least one owner exists. */
export const writeFacts = (
  { accounts }: Parts,
  state: AgentState,
  { text, options }: WrittenToOwners,
  context: PrepareContext
): Effect.Effect<WriteFacts, Refusal, ActorServices> =>
  Effect.gen(function* () {
    const owners = yield* ownersReached(state, context)
    if (owners.length === 0) return yield* Effect.fail(noOwner)
    const number = yield* nextNumber
    const humans = owners.map(({ human_id }) => human_id)
    const words = yield* sealWords(accounts, number, humans, { text, options })
    const delivered_to = owners.map(({ human_id, state: reach }) => ({ human_id, state: reach }))
    return words.keys.length === 0 ? yield* Effect.fail(noOwner) : { number, words, delivered_to }
  })

const addressed = (human: string, message: number, context: PrepareContext) =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const found = yield* actors.ask(context, "owner_message.look", String(message), null)
    const isHis = found.agent === context.id && found.human === null && found.readers.includes(human)
    if (!isHis) yield* Effect.fail(noOwnerMessage)
  })

export const answerFacts = (
  { accounts }: Parts,
  state: AgentState,
  { human, message, text }: AnsweredByOwner,
  context: PrepareContext
): Effect.Effect<AnswerFacts, Refusal, ActorServices> =>
  Effect.gen(function* () {
    if (!isOwner(state, human)) return yield* Effect.fail(noAgent)
    if (message !== null) yield* addressed(human, message, context)
    const actors = yield* Actors
    yield* actors.ask(context, "human.spend_bytes", human, { bytes: wordsBytes(text) })
    const number = yield* nextNumber
    const words = yield* sealWords(accounts, number, [human], { text, options: null })
    if (words.keys.length === 0) return yield* Effect.fail(noAgent)
    return { number, words, ...(yield* drawNotification) }
  })
