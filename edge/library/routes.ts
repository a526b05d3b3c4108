/** The library (spec 4.2; contract 19). */
import { Effect } from "effect"
import { notFound } from "../../schemas/errors.ts"
import { LibraryApi } from "../../schemas/library/api.ts"
import { SLUG_PATTERN } from "../../schemas/library/fields.ts"
import type { LibraryEntry } from "../../schemas/library/records.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataItems, dataValue } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"

const NO_ENTRY = refuse(notFound("library entry"))

export const entryOf = (bus: Bus, call: Call, slug: string): Effect.Effect<LibraryEntry, Refused> =>
  SLUG_PATTERN.test(slug)
    ? Effect.flatMap(bus.query(call, "library_entry", { slug }), (entry) =>
        entry === null ? Effect.fail(NO_ENTRY) : Effect.succeed(entry)
      )
    : Effect.fail(NO_ENTRY)

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
