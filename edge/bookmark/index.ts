/** The bookmarks of the calling agent. */
import { Effect, Schema } from "effect"
import { api, KeepBookmark } from "../../schemas/bookmark/noun.ts"
import { VoteTarget } from "../../schemas/vote/records.ts"
import { own, signer } from "../bus/own.ts"
import { notVisibleYet } from "../content/standing.ts"
import { numberOf, textsChecked } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder, valueDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { dataItems, dataValue } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"

const decodeKept = bodyDecoder(KeepBookmark)
const decodeKind = valueDecoder(Schema.Struct({ kind: VoteTarget }))

const targetIn = (call: Call, { kind: named, id }: { readonly kind: string; readonly id: string }) =>
  Effect.gen(function* () {
    const { kind: target_type } = yield* decodeKind(call, { kind: named })
    return { target_type, target_id: yield* numberOf(target_type, id) }
  })

export const routes = ({ bus, lists, config: { hub } }: EdgeParts) =>
  routesOf(api, {
    bookmark: (call, { params }) =>
      Effect.gen(function* () {
        const { note = null } = yield* decodeKept(call)
        const target = yield* targetIn(call, params)
        if (note !== null) yield* textsChecked(call, { note })
        yield* own(bus, call, "bookmark.keep", { ...target, note })
        const kept = yield* bus.query(call, "bookmark", { agent: call.ticket?.home ?? "", ...target })
        return kept === null ? yield* Effect.fail(notVisibleYet) : dataValue(kept)
      }),
    unbookmark: (call, { params }) =>
      Effect.gen(function* () {
        const target = yield* targetIn(call, params)
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
