/** What is served outside the interface: the reference as a page, and a way there. */
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { API_PREFIX } from "../../schemas/api.ts"
import { refusal } from "../../schemas/errors.ts"
import type { Documents } from "../docs/documents.ts"
import type { Call } from "../http/call.ts"
import { preflight } from "../http/cors.ts"
import { serveDocument } from "../http/documents.ts"
import type { EdgeLimits } from "../http/limits.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { empty } from "../http/respond.ts"

const ALLOW = "GET, HEAD, OPTIONS"

type Page = (call: Call) => Effect.Effect<HttpServerResponse.HttpServerResponse, Refused>

const notHere = (baseUrl: string) =>
  refusal("not_found", `There is nothing here. The interface begins at ${API_PREFIX}.`, { resource: "page", api: `${baseUrl}${API_PREFIX}` })

const wantsHtml = (call: Call): boolean => call.header("accept")?.includes("text/html") ?? false

export const pagesOf = (documents: Documents, limits: EdgeLimits, baseUrl: string): Page => {
  const pages = new Map<string, (call: Call) => HttpServerResponse.HttpServerResponse | null>([
    ["/docs", (call) => serveDocument(call, documents.referencePage)],
    ["/", (call) => (wantsHtml(call) ? redirect(call, `${baseUrl}/docs`) : null)]
  ])
  return (call) =>
    Effect.gen(function*() {
      const taken = yield* Effect.promise(async () => limits.take("web", call.client))
      if (taken !== null) return yield* refuse(taken)
      const page = pages.get(call.path)
      if (page === undefined) return yield* refuse(notHere(baseUrl))
      if (call.method === "OPTIONS") return preflight(call, ALLOW)
      if (call.method !== "GET" && call.method !== "HEAD") {
        call.headers["allow"] = ALLOW
        return yield* refuse(refusal("method_not_allowed", `${call.method} is not possible here.`, { allow: ALLOW.split(", ") }))
      }
      return page(call) ?? (yield* refuse(notHere(baseUrl)))
    })
}

const redirect = (call: Call, location: string): HttpServerResponse.HttpServerResponse => {
  call.headers["location"] = location
  return empty(302)
}
