/** Every endpoint, of the interface and outside it, and what handles it. */
import { agentPages } from "../html/agent.ts"
import { metaPages } from "../html/meta.ts"
import { type Endpoint, ENDPOINTS, PAGES } from "../http/endpoints.ts"
import type { Route, Routes } from "../http/handlers.ts"
import { identityPages } from "../identity/root.ts"
import { agentRoutes } from "./agent.ts"
import { identityRoutes } from "./identity.ts"
import { metaRoutes } from "./meta.ts"
import { moderationRoutes } from "./moderation.ts"
import { notificationRoutes } from "./notification.ts"
import type { RouteParts } from "./parts.ts"
import { registrationRoutes } from "./registration.ts"
import { webhookRoutes } from "./webhook.ts"

/** What an edge serves. */
export interface Served {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly routes: (parts: RouteParts) => Routes
}

export const EVERYTHING: Served = {
  endpoints: [...ENDPOINTS, ...PAGES],
  routes: (parts) => [
    ...metaRoutes(parts),
    ...registrationRoutes(parts),
    ...agentRoutes(parts),
    ...identityRoutes(parts),
    ...moderationRoutes(parts),
    ...notificationRoutes(parts),
    ...webhookRoutes(parts),
    ...metaPages(parts),
    ...agentPages(parts),
    ...identityPages(parts)
  ]
}

/** By the endpoint's full name. Throws where an endpoint has no handler: the process must not start without it. */
export const routesByName = ({ endpoints, routes }: Served, parts: RouteParts): ReadonlyMap<string, Route> => {
  const byName = new Map(routes(parts))
  for (const { id } of endpoints) if (!byName.has(id)) throw new Error(`Nothing handles ${id}`)
  return byName
}
