/** The edge's routes to watch threads (contract 19). */
import { Effect } from "effect"
import { notFound } from "../../schemas/errors.ts"
import { WatchApi } from "../../schemas/watch/api.ts"
import { standing } from "../content/standing.ts"
import { numberOf } from "../content/writing.ts"
import { routesOf } from "../http/handlers.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { refuse } from "../http/refused.ts"
import { dataItems, dataValue } from "../http/respond.ts"
import { own, signer } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

const noThread = refuse(notFound("thread"))

export const routes = ({ bus, lists, config: { hub } }: EdgeParts) =>
  routesOf(WatchApi, {
    watchThread: (call, { params }) =>
      Effect.gen(function* () {
        const thread = yield* numberOf("thread", params.id)
        yield* own(bus, call, "watch.begin", { thread })
        const agent = call.ticket?.home ?? ""
        // The watch may have been removed since the command.
        const shown = Effect.flatMap(bus.query(call, "watch", { agent, thread }), (watch) =>
          watch === null ? Effect.fail(noThread) : Effect.succeed(watch)
        )
        return dataValue(
          yield* standing(bus, call, { noun: "thread", id: thread, by: { agent, operator: false } }, shown)
        )
      }),
    unwatchThread: (call, { params }) =>
      Effect.gen(function* () {
        const thread = yield* numberOf("thread", params.id)
        yield* own(bus, call, "watch.end", { thread })
        return dataValue({ watching: false, thread_id: thread })
      }),
    listMyWatches: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const { items, total } = yield* lists.page(call, "watches", { ...page, agent })
        return dataItems(items, pageMeta(page, total))
      })
  })
