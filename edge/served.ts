/** Every endpoint, of the interface and outside it, and what handles it. */
import { type Endpoint, ENDPOINTS, PAGES } from "./http/endpoints.ts"
import type { Route, Routes } from "./http/handlers.ts"
import * as nouns from "./nouns.ts"
import type { RouteParts } from "./routes/parts.ts"

/** What an edge serves. */
export interface Served {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly routes: (parts: RouteParts) => Routes
}

export const EVERYTHING: Served = {
  endpoints: [...ENDPOINTS, ...PAGES],
  routes: (parts) => Object.values(nouns).flatMap((routes) => routes(parts))
}

/** By the endpoint's full name. Throws where an endpoint has no handler: the process must not start without it. */
export const routesByName = ({ endpoints, routes }: Served, parts: RouteParts): ReadonlyMap<string, Route> => {
  const byName = new Map(routes(parts))
  for (const { id } of endpoints) if (!byName.has(id)) throw new Error(`Nothing handles ${id}`)
  return byName
}
