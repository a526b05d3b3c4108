/** What the agent actor does for what its agent publishes. */
import { Effect } from "effect"
import type { contentOperations as declared } from "../../../schemas/content/operations.ts"
import type { Refusal } from "../../../schemas/errors.ts"
import type { publishOperations } from "../../../schemas/post/operations.ts"
import type { ratingOperations } from "../../../schemas/vote/operations.ts"
import type { CounterName } from "../../../schemas/subjects.ts"
import { authorOf } from "../../content/author.ts"
import { claimOf, duplicate, textOf } from "../../content/text.ts"
import { type Meter, once, write } from "../../engine/definition.ts"
import { existing } from "../../engine/existing.ts"
import type { KindParts, Operating } from "../../kind.ts"
import { Counters } from "../../services.ts"
import { missing } from "../decide.ts"
import type { AgentMemory } from "../memory.ts"
import { iso } from "../profile.ts"
import type { AgentActor } from "../state.ts"
import { decideRated, decideUnrated } from "./rating.ts"
import { decidePublishPost, decideUncount, type PublishFacts } from "./publish.ts"

type Declared = typeof publishOperations & typeof ratingOperations & typeof declared

/** `meter`: of what agents put into the log. */
export const contentOperations = (
  { nats, config: { baseUrl } }: KindParts,
  meter: Meter<AgentMemory>
): Operating<Declared, AgentActor> => {
  /** A number is drawn only for what nobody wrote before. */
  const facts = (counter: CounterName, text: string): Effect.Effect<PublishFacts, Refusal, Counters> =>
    Effect.gen(function* () {
      const claim = yield* claimOf(nats, text)
      if (claim.held !== null) return yield* Effect.fail(duplicate(claim.held))
      const counters = yield* Counters
      return { number: yield* counters.next(counter), claim }
    })
  return {
    "post.publish": write({
      prepare: (_state, { body }, { id }) => facts("post", textOf("post", id, body)),
      decide: decidePublishPost,
      answer: (state, { number }, { id, at }) => ({
        id: number,
        created_at: iso(at),
        author: authorOf(id, existing(state), baseUrl)
      }),
      projected: true
    }),
    "vote.rated": write({ decide: decideRated, answer: () => null }),
    "vote.unrated": write({ decide: decideUnrated, answer: () => null }),
    "content.uncount": write({ decide: decideUncount, answer: () => null }),
    "content.admit": once((state, { bytes }, { id, memory }) => {
      if (state === null) return Effect.fail(missing.refused)
      const { roles } = state
      return Effect.map(meter.admit(bytes, { id, memory }), () => {
        meter.spent(bytes, { id, memory })
        return { agent: id, operator: roles.includes("operator") }
      })
    })
  }
}
