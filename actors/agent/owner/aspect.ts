/** The agent actor's operations on messages between it and its owners, declared in schemas/owner/operations.ts. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import { notFound } from "../../../schemas/errors.ts"
import type { owningOperations as declared } from "../../../schemas/owner/operations.ts"
import type { OwnerAnswer } from "../../../schemas/owner/records.ts"
import { custom, type PrepareContext, read, write } from "../../engine/definition.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import { Actors, type ActorServices } from "../../engine/services.ts"
import { iso } from "../../../schemas/iso.ts"
import type { AgentActor, AgentState } from "../state.ts"
import { decideAnswer, decideSeen, decideWrite, hasProvenOwner, isOwner, provenOwner } from "./decide.ts"
import { answerFacts, ownersReached, writeFacts } from "./facts.ts"
import { releaseHolding, mayHold } from "./held.ts"
import { decideJudge, laterOwners, standingOf } from "./later.ts"
import { answerIn } from "./state.ts"

const noAgent = notFound("agent")

const answeredBy = (
  state: AgentState,
  message: number,
  context: PrepareContext
): Effect.Effect<OwnerAnswer | null, Refusal, ActorServices> =>
  Effect.gen(function* () {
    const answer = state === null ? null : answerIn(state, message)
    if (answer === null) return null
    const actors = yield* Actors
    return yield* actors.ask(context, "owner_message.whole", String(answer), null)
  })

export const operations = (parts: KindParts): Operating<typeof declared, AgentActor> => {
  const { limits } = parts.config
  const waiting = { ...limits.limits.owner, restoredAt: parts.restored.at }
  return {
    "owner.send": write({
      prepare: (state, input, context) => writeFacts(parts, state, input, context),
      decide: decideWrite,
      answer: (_state, { number, delivered_to }, { at }) => ({ id: number, delivered_to, created_at: iso(at) }),
      projected: true
    }),
    "owner.answer": write({
      prepare: (state, input, context) => answerFacts(parts, state, input, context),
      decide: decideAnswer,
      answer: (_state, { number }, { at }) => ({ id: number, created_at: iso(at) }),
      projected: true
    }),
    "owner.owners": custom((state, _input, context) =>
      Effect.map(ownersReached(state, context), (owners) => owners.map(({ state: _reach, ...owner }) => owner))
    ),
    "owner.carries": read((state, { human }) => (isOwner(state, human) ? { data: null } : { refused: noAgent })),
    "owner.standing": read((state) => ({ data: standingOf(state, waiting.restoredAt) })),
    "owner.later": read((state, { human }, { at }) => ({ data: laterOwners(state, human, at, waiting) })),
    "owner.judge": write({
      decide: (state, input, context) => decideJudge(state, input, context, waiting),
      answer: () => null
    }),
    "owner.proven": read((state) => ({
      data: {
        proven: hasProvenOwner(state),
        by: provenOwner(state),
        ...(state?.provisional === true ? { provisional: true } : {})
      }
    })),
    "owner.answered": read((state, { message }) => {
      if (state === null || answerIn(state, message) === null) return { data: null }
      return { later: (context) => answeredBy(state, message, context) }
    }),
    "owner.wait": custom((_state, { purpose, token, ms }, { memory, at }) =>
      Effect.sync(() => ({ held: mayHold(memory.held, purpose, { token, until: at + ms }, at) }))
    ),
    "owner.leave": custom((_state, { purpose, token }, { memory }) =>
      Effect.sync(() => {
        releaseHolding(memory.held, purpose, token)
        return null
      })
    ),
    "owner.seen": write({ decide: decideSeen, answer: () => null, projected: true })
  }
}
