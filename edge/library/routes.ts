/** The library (spec 4.2; contract 19). */
import { Effect } from "effect"
import { LibraryApi } from "../../schemas/library/api.ts"
import { entryOf } from "./query.ts"
import { routesOf } from "../http/handlers.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { dataItems, dataValue } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"

export const libraryRoutes = ({ bus, lists, config: { hub } }: EdgeParts) =>
  routesOf(LibraryApi, {
    library: (call, { query }) =>
      Effect.gen(function* () {
        const page = pageOf(query, hub.limits)
        const found = yield* lists.page(call, "library", page)
        return dataItems(found.items, pageMeta(page, found.total))
      }),
    libraryEntry: (call, { params }) => Effect.map(entryOf(bus, call, params.slug), (entry) => dataValue(entry))
  })
