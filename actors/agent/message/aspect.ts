/** The agent actor's operations on private messages, declared in schemas/message/operations.ts. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { messagingOperations as declared } from "../../../schemas/message/operations.ts"
import { authorOf } from "../../content/noun.ts"
import { type PrepareContext, read, write } from "../../engine/definition.ts"
import { existing } from "../../engine/existing.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import { conversationOf, voidNumber } from "../../message/noun.ts"
import { Actors, type ActorServices, Counters } from "../../engine/services.ts"
import { missing, statusRefusal } from "../decide.ts"
import { iso } from "../../../schemas/iso.ts"
import { wallMs } from "../../../schemas/runtime/clock.ts"
import type { AgentActor, AgentState } from "../state.ts"
import { decideSeen, decideSend, notOfConversation, reachRefusal, type SendFacts, toSelf } from "./decide.ts"

/**
 * Checks that the answered message belongs to the same conversation. A message of other agents gets the same refusal as
 * one that does not exist.
 */
const sameConversation = (conversation: string, answered: number, context: PrepareContext) =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const found = yield* Effect.mapError(actors.ask(context, "message.look", String(answered), null), (refused) =>
      refused.code === "not_found" ? notOfConversation : refused
    )
    if (found.conversation !== conversation) yield* Effect.fail(notOfConversation)
  })

interface Sending {
  readonly to: string
  readonly in_reply_to: number | null
}

/**
 * Takes a number last, because readers who poll wait for each unused number. The recipient answers from its last
 * committed state, so two agents that write to each other do not deadlock.
 */
const sendFacts = (
  state: AgentState,
  { to, in_reply_to }: Sending,
  context: PrepareContext
): Effect.Effect<SendFacts, Refusal, ActorServices> =>
  Effect.gen(function* () {
    if (state === null) return yield* Effect.fail(missing.refused)
    const closed = statusRefusal(state, true)
    if (closed !== null) return yield* Effect.fail(closed)
    if (to === context.id) return yield* Effect.fail(toSelf)
    const [actors, counters] = [yield* Actors, yield* Counters]
    const recipient = yield* actors.ask(context, "message.reachable", to, { from: context.id })
    const conversation = conversationOf(state.number, recipient.number)
    if (in_reply_to !== null) yield* sameConversation(conversation, in_reply_to, context)
    return { number: yield* counters.next("message"), conversation, to: recipient.agent }
  })

export const operations = ({ clock, log, config: { baseUrl } }: KindParts): Operating<typeof declared, AgentActor> => ({
  "message.send": write({
    prepare: sendFacts,
    decide: decideSend,
    // Marks the number as unused. Otherwise readers would wait for it until they know that it is a gap.
    unused: ({ number }) => Effect.promise(() => voidNumber(log, String(number), wallMs(clock))),
    answer: (state, { number, conversation, to }, { id, at }) => ({
      id: number,
      conversation_id: conversation,
      from: authorOf(id, existing(state), baseUrl),
      to,
      created_at: iso(at)
    }),
    projected: true
  }),
  "message.reachable": read((state, { from }, { id }) => {
    const refused = reachRefusal(state, from)
    if (refused !== null) return { refused }
    const agent = existing(state)
    return { data: { number: agent.number, agent: authorOf(id, agent, baseUrl) } }
  }),
  "message.seen": write({ decide: decideSeen, answer: () => null, projected: true })
})
