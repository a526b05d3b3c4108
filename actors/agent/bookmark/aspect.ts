/** The agent actor's operations on its bookmarks, declared in schemas/bookmark/noun.ts. */
import { Effect } from "effect"
import { BOOKMARKS_HIDDEN_MAX, type operations as declared, type Target } from "../../../schemas/bookmark/noun.ts"
import type { Queries } from "../../../schemas/bus/operations.ts"
import type { Caller } from "../../../schemas/content/author.ts"
import { type PrepareContext, write } from "../../engine/definition.ts"
import { Actors, Views } from "../../engine/services.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import type { AgentActor, AgentState } from "../state.ts"
import { decideKeep, decideRemove, hasRoom, NONE_LOOKED_UP } from "./decide.ts"
import type { Answering } from "../../queries/serve.ts"
import { BookmarkRows } from "./projection.ts"
import { bookmarkQuery, bookmarksCountedQuery, bookmarksQuery, hiddenBookmarksQuery } from "./queries.ts"

/**
 * A caller without rights. Even the author of a hidden text cannot bookmark it, because lists of bookmarks would not
 * show it.
 */
const ANYBODY: Caller = { agent: "", operator: false }

const ABREAST = 8

type Candidate = Queries["bookmarks_not_shown"]["output"]["items"][number]

/**
 * True if the target was deleted. The read model may lag behind, so the target's own actor is asked. If it does not
 * answer, the target does not count as deleted.
 */
const isGone = ({ kept, target_type, target_id }: Candidate, context: PrepareContext) => {
  if (kept) return Effect.succeed(false)
  const asking = { ...context, commandId: `${context.commandId}-${target_type}-${target_id}` }
  const asked = Effect.flatMap(Actors, (actors) => actors.ask(asking, `${target_type}.kept`, String(target_id), null))
  return Effect.match(asked, {
    onSuccess: () => false,
    onFailure: ({ code, details }) => code === "not_found" && details?.["resource"] === target_type
  })
}

const notShown = (context: PrepareContext) =>
  Effect.gen(function* () {
    const views = yield* Views
    const input = { agent: context.id, limit: BOOKMARKS_HIDDEN_MAX }
    const { items, total } = yield* views.query(context, "bookmarks_not_shown", input)
    const gone = yield* Effect.filter(items, (one) => isGone(one, context), { concurrency: ABREAST })
    const hidden = items.filter((one) => !gone.includes(one))
    return { gone, hidden: hidden.map(targetOf), hiddenCount: total - gone.length }
  })

const targetOf = ({ target_type, target_id }: Target): Target => ({ target_type, target_id })

export const operations = ({ config: { limits } }: KindParts): Operating<typeof declared, AgentActor> => {
  const { bookmarks_max } = limits.limits

  const admitted = (state: AgentState, { target_type, target_id }: Target, context: PrepareContext) =>
    Effect.gen(function* () {
      const actors = yield* Actors
      yield* actors.ask(context, `${target_type}.stands`, String(target_id), { by: ANYBODY })
      if (state === null || hasRoom(state, { target_type, target_id }, bookmarks_max)) return NONE_LOOKED_UP
      return yield* notShown(context)
    })

  return {
    "bookmark.keep": write({
      prepare: (state, input, context) => admitted(state, input, context),
      decide: (state, input, context) => decideKeep(state, input, context, limits),
      answer: () => null,
      projected: true
    }),
    "bookmark.remove": write({ decide: decideRemove, answer: () => null, projected: true })
  }
}

export const tables = [{ name: "bookmarks", kind: "agent", actor: "agent" }] as const

export const rows = () => new BookmarkRows()

export const queries = ({ db, config: { baseUrl } }: Answering) => ({
  bookmarks: bookmarksQuery(db, baseUrl),
  bookmark: bookmarkQuery(db, baseUrl),
  bookmarks_counted: bookmarksCountedQuery(db),
  bookmarks_not_shown: hiddenBookmarksQuery(db)
})
