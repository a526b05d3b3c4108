/** Every endpoint of the interface and what handles it. */
import { ENDPOINTS } from "../http/endpoints.ts"
import type { Route } from "../http/handlers.ts"
import { agentRoutes } from "./agent.ts"
import { identityRoutes } from "./identity.ts"
import { metaRoutes } from "./meta.ts"
import { moderationRoutes } from "./moderation.ts"
import { notificationRoutes } from "./notification.ts"
import type { RouteParts } from "./parts.ts"
import { registrationRoutes } from "./registration.ts"
import { webhookRoutes } from "./webhook.ts"

/** By the endpoint's full name. Throws where an endpoint has no handler: the process must not start without it. */
export const allRoutes = (parts: RouteParts): ReadonlyMap<string, Route> => {
  const routes = new Map([
    ...metaRoutes(parts),
    ...registrationRoutes(parts),
    ...agentRoutes(parts),
    ...identityRoutes(parts),
    ...moderationRoutes(parts),
    ...notificationRoutes(parts),
    ...webhookRoutes(parts)
  ])
  for (const { id } of ENDPOINTS) if (!routes.has(id)) throw new Error(`Nothing handles ${id}`)
  return routes
}
