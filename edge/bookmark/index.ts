/** The bookmarks of the agent that asks. */
import { Effect, Schema } from "effect"
import { api, KeepBookmark, type Target } from "../../schemas/bookmark/noun.ts"
import { notFound } from "../../schemas/errors.ts"
import { VoteTarget } from "../../schemas/vote/records.ts"
import { own, signer } from "../bus/own.ts"
import { notShownYet } from "../content/standing.ts"
import { numberOf, textsChecked } from "../content/writing.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataItems, dataValue } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"

const decodeKept = bodyDecoder(KeepBookmark)
const isTarget = Schema.is(VoteTarget)
const noTarget = refuse(notFound("resource"))

const targetIn = ({ kind, id }: { readonly kind: string; readonly id: string }): Effect.Effect<Target, Refused> =>
  isTarget(kind)
    ? Effect.map(numberOf(kind, id), (target_id) => ({ target_type: kind, target_id }))
    : Effect.fail(noTarget)

export const routes = ({ bus, lists, config: { hub } }: EdgeParts) =>
  routesOf(api, {
    bookmark: (call, { params }) =>
      Effect.gen(function* () {
        const { note = null } = yield* decodeKept(call)
        const target = yield* targetIn(params)
        if (note !== null) yield* textsChecked(call, { note })
        yield* own(bus, call, "bookmark.keep", { ...target, note })
        const kept = yield* bus.query(call, "bookmark", { agent: call.ticket?.home ?? "", ...target })
        return kept === null ? yield* Effect.fail(notShownYet) : dataValue(kept)
      }),
    unbookmark: (call, { params }) =>
      Effect.gen(function* () {
        const target = yield* targetIn(params)
        yield* own(bus, call, "bookmark.remove", target)
        return dataValue({ bookmarked: false, ...target })
      }),
    listMyBookmarks: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const { items, total } = yield* lists.page(call, "bookmarks", { ...page, agent })
        return dataItems(items, pageMeta(page, total))
      })
  })
