/** Operations of the agent actor on its bookmarks; they are declared in schemas/bookmark/noun.ts. */
import { Effect } from "effect"
import type { operations as declared, Target } from "../../../schemas/bookmark/noun.ts"
import type { Caller } from "../../../schemas/content/author.ts"
import { type PrepareContext, write } from "../../engine/definition.ts"
import { Actors, Views } from "../../engine/services.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import type { AgentActor, AgentState } from "../state.ts"
import { decideKeep, decideRemove } from "./decide.ts"

/** Nobody in particular: lists show hidden texts to nobody either, not to their authors. */
const ANYBODY: Caller = { agent: "", operator: false }

/** The most that make room for one new bookmark: one commit removes them. */
const GONE_MAX = 100

export const bookmarkOperations = ({ config: { limits } }: KindParts): Operating<typeof declared, AgentActor> => {
  const { bookmarks_max } = limits.limits

  const admitted = (state: AgentState, { target_type, target_id }: Target, context: PrepareContext) =>
    Effect.gen(function* () {
      const actors = yield* Actors
      yield* actors.ask(context, `${target_type}.stands`, String(target_id), { by: ANYBODY })
      if (state === null || state.bookmarks.length < bookmarks_max) return []
      const views = yield* Views
      return yield* views.query(context, "bookmarks_without_target", { agent: context.id, limit: GONE_MAX })
    })

  return {
    "bookmark.keep": write({
      prepare: (state, { target_type, target_id }, context) => admitted(state, { target_type, target_id }, context),
      decide: (state, input, context) => decideKeep(state, input, context, limits),
      answer: () => null,
      projected: true
    }),
    "bookmark.remove": write({ decide: decideRemove, answer: () => null, projected: true })
  }
}
