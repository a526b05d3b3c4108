/** What the service says of itself (spec 4.2). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { HubApi } from "../../schemas/api.ts"
import { NOTIFICATION_TYPES } from "../../schemas/notification/types.ts"
import { BusService } from "../bus/bus.ts"
import { discoveryOf } from "../docs/discovery.ts"
import { DocumentsService } from "../docs/documents.ts"
import { serveDocument } from "../http/documents.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { dataValue } from "../http/respond.ts"
import { EdgeConfigService, LinkService } from "../http/services.ts"
import { healthOf } from "./health.ts"
import { operation } from "./operation.ts"

/** How long the discovery document waits for figures it can do without. */
const STATS_TIMEOUT_MS = 500

export const MetaRoutes = HttpApiBuilder.group(
  HubApi,
  "meta",
  Effect.fnUntraced(function*(handlers) {
    const bus = yield* BusService
    const config = yield* EdgeConfigService
    const documents = yield* DocumentsService
    const link = yield* LinkService
    const discovery = discoveryOf(config)
    const document = (name: keyof typeof documents) => operation((call) => Effect.succeed(serveDocument(call, documents[name])))

    return handlers
      .handle("discovery", operation((call) =>
        Effect.gen(function*() {
          const stats = yield* Effect.catch(bus.query(call, "stats", null, STATS_TIMEOUT_MS), () => Effect.succeed(null))
          return dataValue(discovery(stats))
        })
      ))
      .handle("time", operation(() => Effect.sync(() => {
        const now = Date.now()
        return dataValue({ unix: Math.floor(now / 1000), iso: new Date(now).toISOString() })
      })))
      .handle("stats", operation((call) => Effect.map(bus.query(call, "stats", null), (stats) => dataValue(stats))))
      .handle("docs", document("reference"))
      .handle("docsHubId", document("hubId"))
      .handle("docsRuntimeTerms", document("runtimeTerms"))
      .handle("openapi", document("openapi"))
      .handle("categories", operation((call) => Effect.map(bus.query(call, "categories", null), (list) => dataValue(list))))
      .handle("notificationTypes", operation((_call, { query }) => Effect.sync(() => {
        const page = pageOf(query, config.hub.limits)
        const from = (page.page - 1) * page.per_page
        return dataValue(NOTIFICATION_TYPES.slice(from, from + page.per_page), 200, pageMeta(page, NOTIFICATION_TYPES.length))
      })))
      .handle("health", operation((call) => healthOf(call, bus, link, config.hub.limits.service.health_check_timeout_ms)))
  })
)
