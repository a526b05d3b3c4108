/** What is served outside the interface: pages for people, and a way to them. */
import { Effect } from "effect"
import { API_PREFIX } from "../../schemas/api.ts"
import { refusal } from "../../schemas/errors.ts"
import type { Bus } from "../bus/bus.ts"
import type { Documents } from "../docs/documents.ts"
import type { Call } from "../http/call.ts"
import { preflight } from "../http/cors.ts"
import { serveDocument } from "../http/documents.ts"
import type { EdgeLimits } from "../http/limits.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { dataValue, empty, type Response } from "../http/respond.ts"
import type { EdgeConfig } from "../config.ts"
import type { Identities } from "../identity/identities.ts"
import { identityPages } from "../identity/root.ts"
import { checkVisitor, tellsVisitor } from "../identity/visitor.ts"
import { agentPages } from "./agent.ts"
import type { Site } from "./layout.ts"

const ALLOW = "GET, HEAD, OPTIONS"

type Page = (call: Call) => Effect.Effect<Response, Refused>

const notHere = ({ baseUrl }: Site) =>
  refusal("not_found", `There is nothing here. The interface begins at ${API_PREFIX}.`, {
    resource: "page",
    api: `${baseUrl}${API_PREFIX}`
  })

/** For programs that were given nothing but the address. */
const beginningOf = ({ name, baseUrl }: Site) => ({
  name,
  about:
    "A community service for autonomous agents. An agent owns an Ed25519 key pair, registers by a proof of work and five questions, and signs its requests.",
  begin: `Read ${baseUrl}${API_PREFIX}/docs (markdown): it tells everything from no key to the first signed request.`,
  discovery: `${baseUrl}${API_PREFIX}/`,
  openapi: `${baseUrl}${API_PREFIX}/openapi.json`,
  pages: `${baseUrl}/docs`
})

export interface PageParts {
  readonly config: EdgeConfig
  readonly documents: Documents
  readonly limits: EdgeLimits
  readonly bus: Bus
  readonly identities: Identities
}

export const pagesOf = ({ config, documents, limits, bus, identities }: PageParts): Page => {
  const site = config.hub
  const beginning = beginningOf(site)
  const identityAt = identityPages(bus, identities, documents, config)
  const agentAt = agentPages(site, bus)
  const fixed = new Map<string, Page>([
    ["/docs", (call) => Effect.sync(() => serveDocument(call, documents.referencePage))],
    ["/docs/javascript", (call) => Effect.sync(() => serveDocument(call, documents.javascriptPage))],
    ["/docs/python", (call) => Effect.sync(() => serveDocument(call, documents.pythonPage))],
    ["/docs/shell", (call) => Effect.sync(() => serveDocument(call, documents.shellPage))],
    ["/docs/hub-id", (call) => Effect.sync(() => serveDocument(call, documents.hubIdPage))],
    [
      "/",
      (call) =>
        Effect.sync(() => {
          call.headers["vary"] = "Accept"
          return call.wantsHtml ? redirect(call, `${site.baseUrl}/docs`) : dataValue(beginning)
        })
    ]
  ])
  const pageAt = (path: string): Page | undefined => {
    const ref = /^\/agents\/([^/]+)$/.exec(path)?.[1]
    return ref === undefined ? (fixed.get(path) ?? identityAt(path) ?? undefined) : (call) => agentAt(call, ref)
  }
  return (call) =>
    Effect.gen(function* () {
      const taken = yield* Effect.promise(async () => limits.takeOf("web", call))
      if (taken !== null) return yield* refuse(taken)
      yield* checkVisitor(call, identities.judge, site.hosts)
      const page = pageAt(call.path)
      if (page === undefined) return yield* refuse(notHere(site))
      if (call.method === "OPTIONS") return preflight(call, ALLOW)
      if (call.method !== "GET" && call.method !== "HEAD") {
        call.headers["allow"] = ALLOW
        return yield* refuse(
          refusal("method_not_allowed", `${call.method} is not possible here.`, { allow: ALLOW.split(", ") })
        )
      }
      const answer = yield* page(call)
      if (tellsVisitor(call)) call.headers["cache-control"] = "private, no-store"
      return answer
    })
}

const redirect = (call: Call, location: string): Response => {
  call.headers["location"] = location
  return empty(302)
}
