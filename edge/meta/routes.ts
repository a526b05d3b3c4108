/** Facts about the service: discovery, documents, counts, categories, health (spec 4.2). */
import { MetaApi } from "../../schemas/meta/api.ts"
import { Clock, Effect } from "effect"
import { RUNTIME_TERMS_VERSION } from "../../schemas/compartment/records.ts"
import { invalidField, type Refusal } from "../../schemas/errors.ts"
import { NOTIFICATION_TYPES } from "../../schemas/notification/types.ts"
import { chapterOf, type DocumentName, discoveryOf, type Documents } from "../docs/index.ts"
import { serveDocument } from "../http/documents.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { refuse } from "../http/refused.ts"
import { dataValue } from "../http/respond.ts"
import { healthOf } from "./health.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import type { EdgeParts } from "../kit/parts.ts"

type Parts = EdgeParts & { readonly documents: Documents }

/** Maximum wait of the discovery document for its counts, which are optional. */
const STATS_TIMEOUT_MS = 500

const unknownTag = (tags: ReadonlyArray<string>): Refusal =>
  invalidField("tag", `There is no such tag. The tags are: ${tags.join(", ")}.`, { tags })

export const metaRoutes = ({ bus, config, documents, link }: Parts) => {
  const discovery = discoveryOf(config)
  const document = (name: DocumentName) => (call: Call) => Effect.succeed(serveDocument(call, documents[name]))
  return routesOf(MetaApi, {
    discovery: (call) =>
      Effect.gen(function* () {
        const stats = yield* Effect.catch(bus.query(call, "stats", null, STATS_TIMEOUT_MS), () => Effect.succeed(null))
        return dataValue(discovery(stats, yield* Clock.currentTimeMillis))
      }),
    time: () =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        dataValue({ unix: Math.floor(now / 1000), iso: new Date(now).toISOString() })
      ),
    stats: (call) => Effect.map(bus.query(call, "stats", null), (stats) => dataValue(stats)),
    docs: document("reference"),
    docsJavascript: document("javascript"),
    docsPython: document("python"),
    docsShell: document("shell"),
    docsSeal: document("seal"),
    docsHubId: document("hubId"),
    docsVerify: document("verify"),
    docsRuntimeTerms: (call, { query: { version = RUNTIME_TERMS_VERSION } }) =>
      Effect.succeed(serveDocument(call, documents.runtimeTerms[version])),
    docsChapter: (call, { params }) =>
      Effect.map(chapterOf(documents, params.chapter), ({ markdown }) => serveDocument(call, markdown)),
    openapi: (call, { query: { tag } }) => {
      const { described } = documents
      const document = tag === undefined ? described.whole : described.ofTag(tag)
      return document === null
        ? Effect.fail(refuse(unknownTag(described.tags)))
        : Effect.succeed(serveDocument(call, document))
    },
    categories: (call) => Effect.map(bus.query(call, "categories", null), (list) => dataValue(list)),
    notificationTypes: (_call, { query }) =>
      Effect.sync(() => {
        const page = pageOf(query, config.hub.limits)
        const from = (page.page - 1) * page.per_page
        return dataValue(
          NOTIFICATION_TYPES.slice(from, from + page.per_page),
          200,
          pageMeta(page, NOTIFICATION_TYPES.length)
        )
      }),
    health: (call) => healthOf(call, bus, link, config.hub.limits.service.health_check_timeout_ms)
  })
}
