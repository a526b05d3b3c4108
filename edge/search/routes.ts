/** Search (spec 4.6; contract 3, 19). */
import { Effect } from "effect"
import { SearchApi } from "../../schemas/search/api.ts"
import { viewerOf } from "../content/reading.ts"
import { routesOf } from "../http/handlers.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { dataItems } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"

export const searchRoutes = ({ lists, config: { hub } }: EdgeParts) =>
  routesOf(SearchApi, {
    search: (call, { query }) => {
      const page = pageOf(query, hub.limits)
      const { q = "", type = "posts" } = query
      const found = lists.page(call, "search", { ...page, q, type, viewer: viewerOf(call) })
      return Effect.map(found, ({ items, total }) => dataItems(items, pageMeta(page, total)))
    }
  })
