/** Every endpoint of the interface and outside it, with its handler and its markdown. */
import { WITH_MARKDOWN } from "../schemas/markdown.ts"
import { joined, partsOf } from "../schemas/noun.ts"
import type { Captchas } from "./captcha/index.ts"
import type { Documents } from "./docs/index.ts"
import type { Identities } from "./identity/index.ts"
import type { Feeds } from "./feed/index.ts"
import { type Endpoint, ENDPOINTS, PAGES } from "./http/endpoints.ts"
import type { Route, Routes } from "./http/handlers.ts"
import type { PasswordHashing } from "./human/index.ts"
import type { EdgeParts } from "./kit/parts.ts"
import type { Form, Forms, PageForms } from "./markdown/form.ts"
import type { Notifications } from "./notification/index.ts"
import * as nouns from "./nouns.ts"

/** The parts that nouns share. A process has one of each. */
export interface RouteParts extends EdgeParts {
  readonly captchas: Captchas
  readonly documents: Documents
  readonly feeds: Feeds
  readonly identities: Identities
  readonly notifications: Notifications
  readonly passwords: PasswordHashing
}

export interface Served {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly routes: (parts: RouteParts) => Routes
}

export const EVERYTHING: Served = {
  endpoints: [...ENDPOINTS, ...PAGES],
  routes: (parts) => [...partsOf(nouns, "routes"), ...partsOf(nouns, "pages")].flatMap((routes) => routes(parts))
}

/**
 * Handlers by the endpoint's full name. Throws if an endpoint has none, so that the process does not start without it.
 */
export const routesByName = ({ endpoints, routes }: Served, parts: RouteParts): ReadonlyMap<string, Route> => {
  const byName = new Map(routes(parts))
  for (const { id } of endpoints) if (!byName.has(id)) throw new Error(`Nothing handles ${id}`)
  return byName
}

export const FORMS: Forms = joined(partsOf(nouns, "forms")) satisfies Readonly<
  Record<(typeof WITH_MARKDOWN)[number], Form>
>

export const PAGE_FORMS: PageForms = joined(partsOf(nouns, "pageForms"))
